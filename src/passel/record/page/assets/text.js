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

  const NAME = /[%^][\w$.\-]+/g;
  const masked = (line) => line.replace(NAME, (name) => name[0]).trimStart();

  // Places in a line where names are defined: results, arguments of blocks and functions, and what
  // a loop carries.
  function definitions(line) {
    const found = new Set();
    const results = /^\s*(?:%[\w$.\-]+(?::\d+)?\s*,?\s*)+=/.exec(line)?.[0].length ?? 0;
    const header = /^\s*\^|\{\s*$/.test(line);
    for (const { 0: name, index } of line.matchAll(NAME)) {
      const rest = line.slice(index + name.length);
      if (index < results || (header && /^\s*(?::|= )/.test(rest)) || /^\s*\^/.test(line.slice(0, index + 1)))
        found.add(index);
    }
    return found;
  }

  const COUNTED = /^(?:%(?:arg)?|\^bb)\d+$/;
  const operation = (line) => /^\s*(?:%[^=]*=)?\s*"?([\w.$]+)/.exec(line)?.[1];

  // Old lines with the names that their values have in the new text, if `blocks` are what differs
  // otherwise, and the indices of matched lines that use another value all the same. An op that
  // has become another version of it still defines its values, unless these were given other names
  // than counted ones. A value that is gone has a prime if its name has another meaning now.
  function carry(old, now, blocks) {
    const names = new Map(), taken = new Set();
    for (const line of now) for (const name of line.match(NAME) ?? []) taken.add(name);
    const lines = [], different = new Set();
    const renamed = (line) => line.replace(NAME, (name) => names.get(name) ?? name);
    const defines = (line) => {
      const defined = definitions(line);
      return [...line.matchAll(NAME)].filter(({ index }) => defined.has(index)).map(([name]) => name);
    };
    const replaced = (line, version) => {
      const old = defines(line), now = version === undefined || operation(version) !== operation(line) ? [] : defines(version);
      const stays = now.length === old.length && old.every((name, i) => name === now[i] || (COUNTED.test(name) && COUNTED.test(now[i])));
      old.forEach((name, i) => names.set(name, stays ? now[i] : taken.has(name) ? `${name}′` : name));
      lines.push(renamed(line));
    };
    // Whether a line is the same without renaming, which makes its names known.
    const kept = (line) => {
      const used = line.match(NAME) ?? [];
      if (used.some((name) => (names.get(name) ?? name) !== name)) return false;
      for (const name of used) names.set(name, name);
      return lines.push(line);
    };
    const matched = (i, j) => {
      if (old[i].trimStart() === now[j].trimStart() && kept(old[i])) return;
      const defined = definitions(old[i]), targets = now[j].match(NAME) ?? [];
      let at = 0;
      for (const { 0: name, index } of old[i].matchAll(NAME)) {
        const target = targets[at++];
        if (defined.has(index) || !names.has(name)) names.set(name, target);
      }
      lines.push(renamed(old[i]));
      if (lines[i].trimStart() !== now[j].trimStart()) different.add(i);
    };
    let i = 0, j = 0;
    for (const [from, end, start, stop] of [...blocks, [old.length, old.length, now.length, now.length]]) {
      while (i < from) matched(i++, j++);
      const versions = new Map(Diff.pairs(old.slice(from, end), now.slice(start, stop)));
      while (i < end) replaced(old[i], now[start + versions.get(i++ - from)]);
      j = stop;
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
    if (names) [old, different] = carry(old, now, blocks);
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
