// The run as the page walks it: a tree of pipelines and passes; below each pass its places, one for
// each op that it ran on. With two records, places of both are matched.
"use strict";

const Model = (() => {
  function decode(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    const text = atob(base64), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  async function inflate(id) {
    const element = document.getElementById(id);
    const bytes = decode(element.textContent);
    element.remove();
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  }

  // Texts are runs of lines of one table, in which a line that is copied stands once.
  const lineReader = (table) => (runs) => {
    const lines = [];
    for (let i = 0; i < runs.length; i += 2)
      for (let at = runs[i], end = at + runs[i + 1]; at < end; at++) lines.push(table[at]);
    return lines;
  };

  const FIELDS = ["path", "run", "op", "symbol", "ordinals", "location", "status", "own", "total", "before", "after", "more"];

  function execution(row, index, paths, parts) {
    const found = { index, diagnostics: [], remarks: [], counts: {} };
    FIELDS.forEach((field, i) => (found[field] = row[i] ?? null));
    [found.path, found.title] = paths[found.path];
    Object.assign(found, found.more);
    found.part = parts[found.run];
    found.name = found.symbol ? `@${found.symbol}` : found.op;
    found.identity = `${found.run} ${found.op} ${found.symbol ? found.name : found.ordinals.join(".")}`;
    if (found.status === "unknown" && found.before !== null && found.after !== null) found.status = found.before === found.after ? "unchanged" : "changed";
    return found;
  }

  // -- Trees ------------------------------------------------------------------------------------

  const node = (key, path, parent) =>
    ({ key, path, parent, level: parent ? parent.level + 1 : 0, children: [], places: [], sides: [] });

  // One record's tree. A component of a path is an anchor, or a pass and its number. The paths of
  // the schedule come first, in its order: a pipeline that is there twice, with a pass between,
  // has two nodes. Those of dynamic pipelines follow, below the passes that ran them.
  function tree({ paths, executions }, side) {
    const root = node("", "", null), nodes = new Map();
    const at = (path, planned) => {
      if (!path) return root;
      const cut = path.lastIndexOf("/"), known = nodes.get(path);
      if (known && (!planned || /^\d+:/.test(known.key))) return known;
      const parent = at(path.slice(0, Math.max(cut, 0)), planned);
      if (known && parent.children.at(-1) === known) return known;
      const found = node(path.slice(cut + 1), path, parent);
      nodes.set(path, found);
      parent.children.push(found);
      return found;
    };
    for (const [path, title, planned] of paths) at(path, planned).title = title;
    for (const execution of executions) {
      const found = at(execution.path, false), executions = Array(side + 1).fill(null);
      executions[side] = execution;
      found.places.push({ node: found, executions });
    }
    return root;
  }

  const unnumbered = (key) => key.replace(/^\d+:/, "");

  // Take over another record's tree: passes are matched by name and order, places by op.
  function merge(old, now) {
    const others = new Map();
    for (const place of old.places) {
      const key = place.executions[0].identity;
      others.set(key, [...(others.get(key) ?? []), place]);
    }
    for (const place of now.places)
      place.executions[0] = others.get(place.executions[1].identity)?.shift()?.executions[0] ?? null;
    for (const place of [...others.values()].flat())
      now.places.push({ node: now, executions: [place.executions[0], null] });
    const a = old.children, b = now.children, children = [];
    const names = (all) => all.map((child) => unnumbered(child.key));
    let i = 0, j = 0;
    for (const [from, end, start, stop] of [...Words.blocks(names(a), names(b)), [a.length, a.length, b.length, b.length]]) {
      while (i < from) children.push(merge(a[i++], b[j++]));
      while (i < end) children.push(orphan(a[i++]));
      while (j < stop) children.push(b[j++]);
    }
    now.children = children;
    return now;
  }

  // A part of the old tree that has no counterpart.
  function orphan(old) {
    old.onlyOld = true;
    for (const place of old.places) place.executions.push(null);
    old.children.forEach(orphan);
    return old;
  }

  // -- What became of a place -------------------------------------------------------------------

  const current = (place) => place.executions.at(-1) ?? place.executions[0];

  function status(place) {
    const [old, now] = place.executions;
    if (place.executions.length === 1) return old.status;
    if (!now) return "only-old";
    if (now.status === "failed") return "failed";
    if (!old) return "only-new";
    if (old.status === "failed" || (old.status === "skipped") !== (now.status === "skipped")) return "changed";
    if (old.after === now.after) return "unchanged";
    return old.before !== null && now.before !== null && old.before !== now.before ? "differed" : "changed";
  }

  // Sums for the tree's bars, labels and links.
  function finish(found, all) {
    found.own = found.changed = found.total = 0;
    found.oldOwn = 0;
    found.counts = {}, found.oldCounts = {};
    found.failed = false;
    for (const place of found.places) {
      const execution = current(place);
      place.status = status(place);
      place.name = execution.symbol || found.places.length === 1 || execution.ordinals.length < 2 ? execution.name : `${execution.op}#${execution.ordinals.join(".")}`;
      place.label = place.name + (execution.part ? ` · part ${execution.part}` : "");
      place.own = execution.own ?? 0;
      found.own += place.own;
      found.oldOwn += place.executions.length > 1 ? (place.executions[0]?.own ?? 0) : 0;
      found.total++;
      found.changed += isCounted(place);
      found.failed ||= place.status === "failed";
      if (place.executions.at(-1)) addCounts(found.counts, execution.counts);
      addCounts(found.oldCounts, place.executions[0]?.counts ?? {});
      all.push(place);
    }
    for (const child of found.children) {
      child.parent = found, child.level = found.level + 1;
      finish(child, all);
      found.own += child.own, found.oldOwn += child.oldOwn;
      if (!found.places.length) (found.changed += child.changed), (found.total += child.total);
      found.failed ||= child.failed;
      addCounts(found.counts, child.counts), addCounts(found.oldCounts, child.oldCounts);
    }
  }

  function addCounts(to, counts) {
    for (const [name, value] of Object.entries(counts)) to[name] = (to[name] ?? 0) + value;
  }

  // What j and k stop at, and what counts as changed.
  const QUIET = new Set(["unchanged", "skipped", "unknown", "differed"]);
  const isChange = (place) => !QUIET.has(place.status);
  const isCounted = (place) => isChange(place) && place.status !== "failed";

  // -- Texts of an op through the run -----------------------------------------------------------

  // All states of an op that are kept: [{label, text, index, side}], in the order of the run.
  function states(executions, side, identity, prefix) {
    const found = [];
    let last = null;
    for (const each of executions) {
      if (each.identity !== identity) continue;
      if (each.before !== null && each.before !== last)
        found.push({ label: `${prefix}before ${each.path.split("/").at(-1)}`, text: (last = each.before), index: each.index - 0.5, side });
      if (each.after !== null && each.after !== last)
        found.push({ label: `${prefix}after ${each.path.split("/").at(-1)}`, text: (last = each.after), index: each.index, side });
    }
    return found;
  }

  // By text, what differs between it and those before and after it: [other text, change, backwards].
  function changesOf(data) {
    const found = new Map();
    const put = (from, ...entry) => found.get(from)?.push(entry) ?? found.set(from, [entry]);
    let from = 0;
    for (const [step, distance, blocks, ...renamed] of data) {
      const change = { blocks, renamed }, to = (from += step) + distance;
      put(from, to, change, false), put(to, from, change, true);
    }
    return found;
  }

  async function load() {
    const data = JSON.parse(await inflate("record"));
    const records = data.records.map(({ executions, ...record }) =>
      ({ ...record, executions: executions.map((row, i) => execution(row, i, record.paths, record.parts)) }));
    let root = tree(records.at(-1), records.length - 1);
    if (records.length > 1) {
      root = merge(tree(records[0], 0), root);
    }
    const places = [];
    finish(root, places);
    // In the order of the run, in which what a pass has run comes before it; then those of no execution.
    const failures = places.filter((place) => place.status === "failed").map((place) => [current(place), place])
      .sort(([a], [b]) => a.index - b.index).concat(records.at(-1).lost.map((each) => [each]));
    root.failed = failures.length > 0;
    // The page is there before its texts are.
    const painted = new Promise((resolve) => setTimeout(resolve));
    const table = painted.then(() => inflate("lines")).then((text) => text.split("\n"));
    for (const [side, record] of records.entries())
      record.whole = record.whole.flatMap(([before, after], i, all) => {
        const name = `${data.records.length > 1 ? ["old ", "new "][side] : ""}${all.length > 1 ? `part ${i + 1}, ` : ""}`;
        return [[`${name}input`, before], [`${name}result`, after]].filter(([, text]) => text !== null).map(([label, text]) => ({ label, text, side }));
      });
    return { records, root, places, failures, runs: data.texts, changes: changesOf(data.changes), table, comparing: records.length > 1 };
  }

  return { current, isChange, isCounted, load, states, lineReader };
})();
