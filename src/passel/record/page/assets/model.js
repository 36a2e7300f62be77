// The run as the page walks it: a tree of pipelines and passes; below each pass its places, one for
// each op that it ran on, with its execution in each record.
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

  // Facts, which are in the order of the record's file.
  const place = ([file, line, column, label]) => (file && line ? `${file}:${line}:${column}` : file || label);
  const failure = ([kind, message]) => ({ kind, message });
  const diagnostic = ([severity, message, location, notes, found]) =>
    ({ severity, message, location: place(location), notes: notes.map(diagnostic), remark: found && remark(found) });
  const remark = ([kind, name, category, , , symbol, [file, line, column], args]) =>
    ({ kind, what: `${category}: ${name}`, function: symbol, at: [file ?? "", line, column], facts: Object.entries(args).map((each) => each.join(": ")).join(", ") });

  function execution(row, fields, { parts, replays }) {
    const found = Object.fromEntries(fields.map((field, i) => [field, row[i]]));
    found.location = place(found.location);
    found.diagnostics = found.diagnostics.map(diagnostic);
    found.failure &&= failure(found.failure);
    found.part = parts[found.run];
    found.again = replays[found.number] || null;
    found.name = found.symbol ? `@${found.symbol}` : found.op_name;
    found.identity = `${found.run} ${found.op_name} ${found.symbol ? found.name : found.ordinals.join(".")}`;
    found.remarks = found.diagnostics.flatMap((each) => each.remark ?? []);
    found.diagnostics = found.diagnostics.filter((each) => !each.remark);
    return found;
  }

  // A failure that belongs to no execution, such as the death of a worker.
  const lost = ([kind, message, path, name]) => ({ title: path.split(":").at(-1), name, failure: { kind, message } });

  // The tree of rows in the order of the pipeline, each with its depth.
  function tree(rows, records) {
    const root = { path: "", parent: null, level: 0, children: [], places: [] }, open = [root];
    for (const [depth, path, title, places, onlyOld] of rows) {
      const found = { path, title, onlyOld, parent: open[depth], level: depth + 1, children: [] };
      found.places = places.map((numbers) => ({ node: found, executions: numbers.map((number, side) => records[side].executions[number] ?? null) }));
      found.parent.children.push(found);
      open[depth + 1] = found;
    }
    return root;
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
      place.name = execution.symbol || found.places.length === 1 || execution.ordinals.length < 2 ? execution.name : `${execution.op_name}#${execution.ordinals.join(".")}`;
      place.label = place.name + (execution.part ? ` · part ${execution.part}` : "");
      place.own = execution.own_time ?? 0;
      found.own += place.own;
      found.oldOwn += place.executions.length > 1 ? (place.executions[0]?.own_time ?? 0) : 0;
      found.total++;
      found.changed += isCounted(place);
      found.failed ||= place.status === "failed";
      if (place.executions.at(-1)) addCounts(found.counts, execution.counts);
      addCounts(found.oldCounts, place.executions[0]?.counts ?? {});
      all.push(place);
    }
    for (const child of found.children) {
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
        found.push({ label: `${prefix}before ${each.path.split("/").at(-1)}`, text: (last = each.before), index: each.number - 0.5, side });
      if (each.after !== null && each.after !== last)
        found.push({ label: `${prefix}after ${each.path.split("/").at(-1)}`, text: (last = each.after), index: each.number, side });
    }
    return found;
  }

  // By text, what differs between it and those before and after it: [other text, change, backwards].
  function changesOf(data) {
    const found = new Map();
    const put = (from, ...entry) => found.get(from)?.push(entry) ?? found.set(from, [entry]);
    for (const [from, to, blocks] of data) put(from, to, blocks, false), put(to, from, blocks, true);
    return found;
  }

  async function load() {
    const data = JSON.parse(await inflate("record"));
    const records = data.records.map((record) => ({ ...record, executions: record.executions.map((row) => execution(row, data.fields, record)) }));
    const root = tree(data.rows, records);
    const places = [];
    finish(root, places);
    // In the order of the run, in which what a pass has run comes before it; then those of no execution.
    const failures = places.filter((place) => place.status === "failed").map((place) => [current(place), place])
      .sort(([a], [b]) => a.number - b.number).concat(records.at(-1).lost.map((each) => [lost(each)]));
    root.failed = failures.length > 0;
    // The page is there before its texts are.
    const painted = new Promise((resolve) => setTimeout(resolve));
    const texts = painted.then(() => inflate("texts")).then(JSON.parse);
    for (const [side, record] of records.entries())
      record.whole = record.whole.flatMap(([before, after], i, all) => {
        const name = `${data.records.length > 1 ? ["old ", "new "][side] : ""}${all.length > 1 ? `part ${i + 1}, ` : ""}`;
        return [[`${name}input`, before], [`${name}result`, after]].filter(([, text]) => text !== null).map(([label, text]) => ({ label, text, side }));
      });
    return { records, root, places, failures, texts, changes: changesOf(data.changes), comparing: records.length > 1 };
  }

  return { current, isChange, isCounted, load, states };
})();
