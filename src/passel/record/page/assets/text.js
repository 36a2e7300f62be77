// Two texts of IR as rows to show: locations left out, renamed values matched, what differs paired.
"use strict";

const Texts = (() => {
  const LOCATION_ALIAS = /^#loc\w*\s*=/;

  // The lines without ` loc(...)`, which may hold parentheses and strings, and without aliases.
  function withoutLocations(lines) {
    return lines.filter((line) => !LOCATION_ALIAS.test(line)).map((line) => {
      for (let at = line.indexOf(" loc("); at >= 0; at = line.indexOf(" loc(", at)) {
        const end = closing(line, at + 4);
        if (end < 0) break;
        line = line.slice(0, at) + line.slice(end);
      }
      return line;
    });
  }

  function closing(line, at) {
    for (let depth = 0, quoted = false; at < line.length; at++) {
      const c = line[at];
      if (quoted) c === "\\" ? at++ : (quoted = c !== '"');
      else if (c === '"') quoted = true;
      else if (c === "(") depth++;
      else if (c === ")" && --depth === 0) return at + 1;
    }
    return -1;
  }

  // -- Names of values and blocks ---------------------------------------------------------------

  // What is given to a value or a block, and a number that printers count; strings match as well.
  const NAME = /"(?:\\.|[^"\\])*"|([%^][\w$.\-]*?)(?:_?\d+)?(?![\w$.\-])/g;
  const RESULTS = /^\s*(?:%[\w$.\-]+(?::\d+)?\s*,?\s*)+=/;
  const HEAD = /^\s*(?:%[\w$.\-]*(?::\d+)?\s*,?\s*)*=?\s*"?[\w$.^]+/;
  const masked = (line) => line.replace(NAME, (name, given) => given ?? name).trimStart();

  // The names in each line, the definitions in it by their places among these, and those around.
  // Definitions are results, labels of blocks, and what is new in these or before a region.
  function namesIn(lines) {
    const scopes = [new Map()];
    return lines.map((line) => {
      const start = line.trimStart(), isBlock = start[0] === "^", begins = line.endsWith("{");
      if (start[0] === "}" && scopes.length > 1) scopes.pop();
      if (begins) scopes.push(new Map());
      const last = RESULTS.exec(line)?.[0].length ?? 0, defined = new Map();
      const names = [...line.matchAll(NAME)].filter(({ 1: given }) => given).map(({ 0: name, index }, place) => {
        const isResult = index < last, isLabel = isBlock && !place;
        const isNew = name[0] === "%" && !scopes.some((scope) => scope.has(name));
        if (isResult || isLabel || (isNew && (begins || isBlock))) {
          defined.set(place, { name });
          scopes.at(begins && isResult ? -2 : -1).set(name, defined.get(place));
        }
        return name;
      });
      return { names, defined, scopes: [...scopes] };
    });
  }

  const meant = ({ names, scopes }) => names.map((name) => scopes.findLast((scope) => scope.has(name))?.get(name));

  // Lines [i, j] of ops that are the same, but stand elsewhere, or between the same lines with the
  // same name and results, but other operands.
  function versions(old, now, blocks) {
    const found = new Map(), taken = new Set();
    const pair = (from, end, start, stop, key) => {
      const waiting = new Map();
      for (let j = start; j < stop; j++) if (!taken.has(j)) waiting.set(key(now[j]), [...(waiting.get(key(now[j])) ?? []), j]);
      for (let i = from; i < end; i++) {
        const j = found.has(i) ? undefined : waiting.get(key(old[i]))?.shift();
        if (j !== undefined) found.set(i, j), taken.add(j);
      }
    };
    const differs = [new Set(), new Set()];
    for (const [from, end, start, stop] of blocks) {
      for (let i = from; i < end; i++) differs[0].add(i);
      for (let j = start; j < stop; j++) differs[1].add(j);
    }
    old.forEach((_, i) => { if (!differs[0].has(i)) found.set(i, -1); });
    now.forEach((_, j) => { if (!differs[1].has(j)) taken.add(j); });
    pair(0, old.length, 0, now.length, (line) => line);
    for (const block of blocks) pair(...block, (line) => HEAD.exec(line)?.[0]);
    return [...found].filter(([, j]) => j >= 0);
  }

  // Old lines with the names that their values have in the new text, if `blocks` are what differs
  // otherwise, and the indices of matched lines that use another value all the same: what another
  // op defines, unless that has the same name. A value that is gone has a prime if its name has
  // another meaning now. The terminal's diff goes by the same rules: see `ir_diff.py`.
  function carry(old, now, likeOld, likeNow, blocks) {
    const before = namesIn(old), after = namesIn(now), matched = [];
    let i = 0, j = 0;
    for (const [from, end, , stop] of [...blocks, [old.length, old.length, 0, now.length]]) {
      while (i < from) matched.push([i++, j++]);
      [i, j] = [end, stop];
    }
    const kept = new Map(), arrived = new Set(), taken = new Set(after.flatMap(({ names }) => names));
    for (const [one, other] of [...matched, ...versions(likeOld, likeNow, blocks)])
      for (const [place, definition] of before[one].defined) {
        const its = after[other].defined.get(place);
        if (its) kept.set(definition, its), arrived.add(its);
      }
    const lines = old.map((line, at) => {
      const meanings = meant(before[at]);
      const named = (name, definition) => kept.get(definition)?.name ?? (definition && taken.has(name) ? `${name}′` : name);
      return line.replace(NAME, (name, given) => (given ? named(name, meanings.shift()) : name));
    });
    const different = new Set();
    for (const [one, other] of matched) {
      const [a, b] = [meant(before[one]), meant(after[other])];
      const isSame = (name, n) => (kept.has(a[n]) || arrived.has(b[n]) ? kept.get(a[n]) === b[n] : name === after[other].names[n]);
      if (before[one].names.every(isSame)) lines[one] = /^\s*/.exec(old[one])[0] + now[other].trimStart();
      else different.add(one);
    }
    return [lines, different];
  }

  // Where lines are removed, or added, between lines like them, it is open which of them that are:
  // those are kept that are the same with their names.
  const same = (a, b) => a?.trimStart() === b?.trimStart();

  function settle(blocks, old, now, likeOld, likeNow) {
    let before = [0, 0, 0, 0];
    return blocks.map(([from, end, start, stop], index) => {
      const next = blocks[index + 1] ?? [old.length, 0, now.length];
      const removes = start === stop;
      if (removes === (from === end)) return (before = [from, end, start, stop]);
      // In terms of the side that has more lines, from `a` to `b`; `at` is the place in the other.
      const [lines, likes, others, a, b, at] = removes ? [old, likeOld, now, from, end, start] : [now, likeNow, old, start, stop, from];
      const low = removes ? before[1] : before[3], high = removes ? next[0] : next[2];
      let best = 0, most = 0;
      for (const step of [-1, 1]) {
        for (let by = 0, gain = 0; ; by += step) {
          const up = step < 0, kept = up ? b + by - 1 : a + by, lost = up ? a + by - 1 : b + by;
          if ((up ? lost < low : lost >= high) || likes[kept] !== likes[lost]) break;
          const other = others[at + by - (up ? 1 : 0)];
          gain += same(lines[kept], other) - same(lines[lost], other);
          if (gain > most) [most, best] = [gain, by + step];
        }
      }
      return (before = [from + best, end + best, start + best, stop + best]);
    });
  }

  // -- Rows -------------------------------------------------------------------------------------

  // Rows [line of old or -1, line of now or -1, same], with the lines as they are to be shown.
  // Lines that are indented differently are the same.
  function compare(before, after, { locations, names }) {
    let old = locations ? before : withoutLocations(before);
    const now = locations ? after : withoutLocations(after);
    const content = names ? masked : (line) => line.trimStart();
    const likeOld = old.map(content), likeNow = now.map(content);
    const blocks = settle(Diff.blocks(likeOld, likeNow), old, now, likeOld, likeNow);
    let different = new Set();
    const original = old;
    if (names) [old, different] = carry(old, now, likeOld, likeNow, blocks);
    const rows = [];
    let i = 0, j = 0, removed = 0, added = 0;
    const changed = (end, stop) => {
      const pairs = Diff.pairs(old.slice(i, end), now.slice(j, stop));
      for (const [x, y] of [...pairs.map(([x, y]) => [i + x, j + y]), [end, stop]]) {
        while (i < x) rows.push([i++, -1, false]), removed++;
        while (j < y) rows.push([-1, j++, false]), added++;
        if (i < end && j < stop && i === x && j === y) rows.push([i++, j++, false]), removed++, added++;
      }
    };
    for (const [from, end, start, stop] of [...blocks, [old.length, old.length, now.length, now.length]]) {
      while (i < from) {
        let run = 0;
        while (i + run < from && different.has(i + run)) run++;
        if (run) changed(i + run, j + run);
        else rows.push([i++, j++, true]);
      }
      changed(end, stop);
    }
    return { rows, old, now, original, removed, added };
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

  return { compare, enclosing };
})();

if (typeof module !== "undefined") module.exports = Texts;
