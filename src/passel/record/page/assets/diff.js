// Differences of texts: lines by Myers' algorithm, the words of a changed line by the same.
// E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986, in linear space.
"use strict";

const Diff = (() => {
  // Edits of `a` into `b`, two arrays of anything comparable with ===, as blocks
  // [start in a, end in a, start in b, end in b] that differ; all else is the same.
  // They are minimal if fewer than `effort` edits are needed, and valid in any case.
  function blocks(a, b, effort = 1000) {
    const ids = new Map();
    const number = (item) => {
      let id = ids.get(item);
      if (id === undefined) ids.set(item, (id = ids.size));
      return id;
    };
    const numbersA = Int32Array.from(a, number), numbersB = Int32Array.from(b, number);
    const removed = new Uint8Array(a.length), added = new Uint8Array(b.length);
    // What one side alone has differs for sure, and takes no part in the search.
    const old = shared(numbersA, numbersB, ids.size, removed), now = shared(numbersB, numbersA, ids.size, added);
    const mark = (marks, at) => (from, end) => { for (; from < end; from++) marks[at[from]] = 1; };
    compare(old.map((at) => numbersA[at]), now.map((at) => numbersB[at]), effort, mark(removed, old), mark(added, now));
    const found = [];
    for (let i = 0, j = 0; i < a.length || j < b.length; ) {
      const [from, to] = [i, j];
      while (i < a.length && removed[i]) i++;
      while (j < b.length && added[j]) j++;
      if (i > from || j > to) found.push([from, i, to, j]);
      while (i < a.length && j < b.length && !removed[i] && !added[j]) i++, j++;
    }
    return found;
  }

  // Where the items are that the others have too; the rest is marked.
  function shared(items, others, count, marks) {
    const has = new Uint8Array(count);
    for (const item of others) has[item] = 1;
    items.forEach((item, i) => { marks[i] = 1 - has[item]; });
    return Int32Array.from(items.keys()).filter((i) => !marks[i]);
  }

  // Say which ranges are removed from `a`, and which are added to make `b`.
  function compare(a, b, effort, removed, added) {
    const size = 2 * (a.length + b.length) + 6;
    const forward = new Int32Array(size), backward = new Int32Array(size);
    const parts = [[0, a.length, 0, b.length]];
    while (parts.length) {
      let [low, high, left, right] = parts.pop();
      while (low < high && left < right && a[low] === b[left]) low++, left++;
      while (low < high && left < right && a[high - 1] === b[right - 1]) high--, right--;
      if (low === high || left === right) {
        removed(low, high);
        added(left, right);
        continue;
      }
      const [x, y] = middle(a, b, low, high, left, right, forward, backward, effort);
      parts.push([x, high, y, right], [low, x, left, y]);
    }
  }

  // A point on a shortest way from one corner to the other: where the furthest ways from both
  // meet. Ways that begin at (low, left) are kept by diagonal x - y in `forward`, the others in
  // `backward`. The first and last items are known to differ.
  function middle(a, b, low, high, left, right, forward, backward, effort) {
    const n = high - low, m = right - left, delta = n - m, odd = delta & 1;
    const zero = n + m + 2;
    forward[zero + 1] = 0;
    backward[zero + delta - 1] = n;
    for (let d = 0; ; d++) {
      for (let k = d - 2 * Math.max(0, d - n); k >= -d + 2 * Math.max(0, d - m); k -= 2) {
        const down = k === -d || (k !== d && forward[zero + k - 1] < forward[zero + k + 1]);
        let x = down ? forward[zero + k + 1] : forward[zero + k - 1] + 1;
        while (x < n && x - k < m && a[low + x] === b[left + x - k]) x++;
        forward[zero + k] = x;
        if (odd && Math.abs(k - delta) < d && x >= backward[zero + k]) return [low + x, left + x - k];
      }
      for (let k = d - 2 * Math.max(0, d - m); k >= -d + 2 * Math.max(0, d - n); k -= 2) {
        const at = zero + delta + k;
        const up = k === d || (k !== -d && backward[at - 1] < backward[at + 1]);
        let x = up ? backward[at - 1] : backward[at + 1] - 1;
        while (x > 0 && x - delta - k > 0 && a[low + x - 1] === b[left + x - delta - k - 1]) x--;
        backward[at] = x;
        if (!odd && Math.abs(k + delta) <= d && x <= forward[at]) return [low + x, left + x - delta - k];
      }
      if (d >= effort) return furthest(forward, zero, d, n, m, low, left);
    }
  }

  // The way that came furthest, where going on would take too long.
  function furthest(forward, zero, d, n, m, low, left) {
    let [best, from] = [-1, 0];
    for (let k = d - 2 * Math.max(0, d - n); k >= -d + 2 * Math.max(0, d - m); k -= 2) {
      const x = Math.min(forward[zero + k], n, m + k);
      if (2 * x - k > best) [best, from] = [2 * x - k, k];
    }
    const x = Math.min(forward[zero + from], n, m + from);
    return [low + x, left + x - from];
  }

  // Names, numbers and strings of IR are words, so are runs of spaces; other characters are alone.
  const WORD = /[%@^!#]?[\p{L}\p{N}_$.]+′?|\s+|[^]/gu;
  const LONG = 20000;
  const words = (text) => text.match(WORD) ?? [];

  // The segments [text, differs] of both lines of a pair. Indentation is never marked.
  function inLine(old, now) {
    const indented = (line) => /^\s*/.exec(line)[0];
    const left = [], right = [];
    const put = (to, items, from, end, differs) => {
      if (from < end) to.push([items.slice(from, end).join(""), differs]);
    };
    if (Math.max(old.length, now.length) > LONG) return inLongLine(old, now);
    for (const [line, to] of [[old, left], [now, right]]) if (indented(line)) to.push([indented(line), false]);
    const a = words(old.trimStart()), b = words(now.trimStart());
    let i = 0, j = 0;
    for (const [from, end, start, stop] of joined(blocks(a, b, 200), a)) {
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

  // How alike two lines are: the part of their words that they share, from 0 to 1.
  function likeness(a, b) {
    const counts = new Map();
    for (const word of a) counts.set(word, (counts.get(word) ?? 0) + 1);
    let shared = 0;
    for (const word of b) {
      const left = counts.get(word) ?? 0;
      if (left) counts.set(word, left - 1), shared++;
    }
    return a.length + b.length ? (2 * shared) / (a.length + b.length) : 1;
  }

  // Pairs [i, j] of removed and added lines that are versions of each other, in order: those that
  // are most alike in total. Of long blocks, lines at the same place.
  function pairs(old, now) {
    const rows = old.length, columns = now.length;
    if (rows * columns > 2500) return old.slice(0, columns).map((_, i) => [i, i]);
    const content = (line) => words(line.slice(0, LONG)).filter((word) => word.trim());
    const a = old.map(content), b = now.map(content);
    const best = Array.from({ length: rows + 1 }, () => new Float64Array(columns + 1));
    const alike = a.map((x) => b.map((y) => { const found = likeness(x, y); return found < 0.4 ? -1 : found; }));
    for (let i = rows - 1; i >= 0; i--)
      for (let j = columns - 1; j >= 0; j--)
        best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], alike[i][j] + best[i + 1][j + 1]);
    const found = [];
    for (let i = 0, j = 0; i < rows && j < columns; ) {
      if (alike[i][j] > 0 && best[i][j] === alike[i][j] + best[i + 1][j + 1]) found.push([i++, j++]);
      else if (best[i][j] === best[i + 1][j]) i++;
      else j++;
    }
    return found;
  }

  return { blocks, inLine, pairs };
})();

if (typeof module !== "undefined") module.exports = Diff;
