// Which words of two versions of a line differ.
"use strict";

const Words = (() => {
  // What differs between two arrays of strings, as blocks [start in a, end in a, start in b, end in
  // b]; all else is the same, and as much as possible is.
  function blocks(a, b) {
    let low = 0, end = a.length, stop = b.length;
    while (low < end && low < stop && a[low] === b[low]) low++;
    while (low < end && low < stop && a[end - 1] === b[stop - 1]) end--, stop--;
    const width = stop - low + 1, shared = new Uint32Array((end - low + 1) * width);
    const at = (i, j) => (i - low) * width + j - low; // how much is shared from there on
    for (let i = end - 1; i >= low; i--)
      for (let j = stop - 1; j >= low; j--)
        shared[at(i, j)] = a[i] === b[j] ? shared[at(i + 1, j + 1)] + 1 : Math.max(shared[at(i + 1, j)], shared[at(i, j + 1)]);
    const found = [];
    for (let i = low, j = low; i < end || j < stop; ) {
      const [from, start] = [i, j];
      while (i < end || j < stop) {
        if (i < end && j < stop && a[i] === b[j]) break;
        if (j === stop || (i < end && shared[at(i + 1, j)] >= shared[at(i, j + 1)])) i++;
        else j++;
      }
      if (i > from || j > start) found.push([from, i, start, j]);
      while (i < end && j < stop && a[i] === b[j]) i++, j++;
    }
    return found;
  }

  // Names, numbers and strings of IR are words, so are runs of spaces; other characters are alone.
  const WORD = /[%@^!#]?[\p{L}\p{N}_$.]+|\s+|[^]/gu;
  const MOST = 1_000_000; // pairs of words that are compared
  const words = (text) => text.match(WORD) ?? [];

  // The segments [text, differs] of both lines of a pair. Indentation is never marked.
  function inLine(old, now) {
    const indented = (line) => /^\s*/.exec(line)[0];
    const left = [], right = [];
    const put = (to, items, from, end, differs) => {
      if (from < end) to.push([items.slice(from, end).join(""), differs]);
    };
    const a = words(old.trimStart()), b = words(now.trimStart());
    if (a.length * b.length > MOST) return inLongLine(old, now);
    for (const [line, to] of [[old, left], [now, right]]) if (indented(line)) to.push([indented(line), false]);
    let i = 0, j = 0;
    for (const [from, end, start, stop] of joined(blocks(a, b), a)) {
      put(left, a, i, from, false), put(right, b, j, start, false);
      put(left, a, from, end, true), put(right, b, start, stop, true);
      [i, j] = [end, stop];
    }
    put(left, a, i, a.length, false), put(right, b, j, b.length, false);
    return [left, right];
  }

  // Of a line that is too long for its words: where the difference begins and where it ends.
  function inLongLine(old, now) {
    const most = Math.min(old.length, now.length);
    let from = 0, back = 0;
    while (from < most && old[from] === now[from]) from++;
    while (back < most - from && old[old.length - back - 1] === now[now.length - back - 1]) back++;
    return [old, now].map((line) => {
      const end = line.length - back;
      return [[line.slice(0, from), false], [line.slice(from, end), true], [line.slice(end), false]].filter(([text]) => text);
    });
  }

  // Blocks with nothing but one space between them read as one.
  function joined(found, a) {
    const all = [];
    for (const block of found) {
      const last = all.at(-1);
      if (last && block[0] - last[1] === 1 && a[last[1]].trim() === "") [last[1], last[3]] = [block[1], block[3]];
      else all.push([...block]);
    }
    return all;
  }

  return { inLine };
})();

if (typeof module !== "undefined") module.exports = Words;
