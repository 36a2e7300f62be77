// Two texts of IR as rows to show. What differs between them the record says: `difference` in
// ir_diff.py has found it, for texts that follow each other on an op.
"use strict";

const Texts = (() => {
  // The differences that lead from one text to another, as few as possible, each with whether it is
  // taken backwards; null if none do.
  function way(changes, from, to) {
    const reached = new Map([[from, null]]), ends = [from];
    for (const end of ends) // which gets longer
      for (const [other, change, back] of changes.get(end) ?? [])
        if (!reached.has(other)) reached.set(other, [end, change, back]), ends.push(other);
    if (!reached.has(to)) return null;
    const steps = [];
    for (let step = reached.get(to); step; step = reached.get(step[0])) steps.unshift(step.slice(1));
    return steps;
  }

  // Where each of so many lines is after some differences, -1 if it is gone, and how often it was
  // changed on the way.
  function follow(steps, count) {
    let places = Array.from({ length: count }, (_, i) => i);
    const times = new Uint16Array(count);
    for (const [blocks, back] of steps) {
      const next = [], changed = new Set();
      let i = 0, j = 0;
      for (const [kept, removed, added, ...pairs] of blocks) {
        for (let n = 0; n < kept; n++) next[i++] = j++;
        for (let n = 0; n < pairs.length; n += 2) {
          const [one, other] = back ? [pairs[n + 1], pairs[n]] : [pairs[n], pairs[n + 1]];
          next[i + one] = j + other, changed.add(i + one);
        }
        i += back ? added : removed, j += back ? removed : added;
      }
      places = places.map((at, line) => {
        if (changed.has(at)) times[line]++;
        return at >= i ? at - i + j : next[at] ?? -1;
      });
    }
    return [places, times];
  }

  // Rows [line of old or -1, line of now or -1, same], with the lines. Lines
  // that were changed and changed back are the same.
  function compare(old, now, steps) {
    const [places, times] = steps ? follow(steps, old.length) : [old.map(() => -1), []];
    const rows = [];
    let j = 0, removed = 0, added = 0;
    const isSame = (one, other, often) => !often || (often > 1 && one.trim() === other.trim());
    const add = (end) => { while (j < end) rows.push([-1, j++, false]), added++; };
    places.forEach((place, i) => {
      if (place < 0) return rows.push([i, -1, false]), removed++;
      add(place);
      const same = isSame(old[i], now[place], times[i]);
      if (!same) removed++, added++;
      rows.push([i, j++, same]);
    });
    add(now.length);
    return { rows, old, now, removed, added };
  }

  // Lines of IR that say where one is: the nearest above with a symbol and less indentation.
  function enclosing(lines, at) {
    let indent = lines[at]?.search(/\S/) ?? 0;
    for (let i = at - 1; i >= 0 && i > at - 5000 && indent > 0; i--) {
      const depth = lines[i].search(/\S/);
      if (depth < 0 || depth >= indent) continue;
      indent = depth;
      const symbol = /\{\s*$/.test(lines[i]) && /@[\w$.\-]+/.exec(lines[i].slice(0, 2000));
      if (symbol) return symbol[0];
    }
    return "";
  }

  return { compare, enclosing, way };
})();

if (typeof module !== "undefined") module.exports = Texts;
