// The tree at the left: rows, bars, folding, keys.
"use strict";

const Tree = (() => {
  const SHOWN = 400; // places of a pass that are listed at once
  let model, element, choose;
  const open = new Set(), listed = new Map();
  let rows = [], selected = null, focused = null, matches = null, metric = "changed", largest = {};

  function start(given, onChoose) {
    [model, choose, element] = [given, onChoose, document.getElementById("tree")];
    const visit = (node) => {
      const few = node.places.length > 1 && node.changed > 0 && node.changed <= 6;
      if (!node.places.length || node.children.length || few || node.failed) open.add(node);
      node.children.forEach(visit);
    };
    visit(model.root);
    element.onclick = (event) => {
      const row = rows[event.target.closest(".row")?.dataset.row];
      if (row) activate(row, event.target.classList.contains("twist"));
    };
    element.onkeydown = onKey;
    draw();
  }

  // -- Which rows there are ---------------------------------------------------------------------

  const isLeaf = (node) => node.places.length === 1 && !node.children.length;
  const isIdle = (node) => !node.places.length && !node.children.length;
  // Why a pass of the schedule has no executions.
  function why() {
    return model.root.failed || model.records.at(-1).cut ? "not reached" : "on no op";
  }
  const isQuiet = (node) => (node.places.length > 0 || isIdle(node)) && !node.changed && !node.failed && !node.children.length &&
    !node.places.some((place) => noted(place));
  const noted = (place) => place.executions.some((each) => each?.diagnostics.length);
  const wanted = (place) => !matches || matches.has(place);

  function visible(node, found) {
    for (let i = 0; i < node.children.length; i++) {
      const child = node.children[i];
      let end = i;
      const idle = isIdle(child);
      while (!matches && end < node.children.length && isQuiet(node.children[end]) && isIdle(node.children[end]) === idle) end++;
      if (end - i > 1) {
        const passes = node.children.slice(i, end), key = passes[0].path + "/…";
        found.push({ kind: "fold", level: child.level, key, fold: passes, label: `${end - i} passes ${idle ? why() : model.comparing ? "are the same" : "changed nothing"}: ${passes.map((p) => p.title).join(", ")}`, open: open.has(key) });
        if (open.has(key)) for (const pass of passes) one(pass, found, 1);
        i = end - 1;
      } else one(child, found, 0);
    }
  }

  function one(node, found, extra) {
    const within = (each) => each.places.some(wanted) || each.children.some(within);
    if (matches && !within(node)) return;
    const level = node.level + extra;
    if (isLeaf(node)) { found.push({ kind: "place", level, node, place: node.places[0], key: node }); return; }
    const isOpen = isIdle(node) ? undefined : matches ? true : open.has(node);
    found.push({ kind: "node", level, node, key: node, open: isOpen });
    if (!isOpen) return;
    const changes = node.places.filter((place) => (matches ? wanted(place) : Model.isChange(place) || noted(place)));
    const limit = listed.get(node) ?? SHOWN;
    for (const place of changes.slice(0, limit)) found.push({ kind: "place", level: level + 1, node, place, key: place, inside: true });
    if (changes.length > limit) found.push({ kind: "more", level: level + 1, node, key: `${node.path}/more`, label: `${changes.length - limit} more` });
    const quiet = matches ? [] : node.places.filter((place) => !Model.isChange(place) && !noted(place));
    if (quiet.length) {
      const key = `${node.path}/quiet`;
      found.push({ kind: "fold", level: level + 1, key, label: `${quiet.length.toLocaleString("en")} ${model.comparing ? "others" : "unchanged"}`, open: open.has(key) });
      if (open.has(key)) for (const place of quiet.slice(0, limit)) found.push({ kind: "place", level: level + 2, node, place, key: place, inside: true });
    }
    visible(node, found);
  }

  // -- How they look ----------------------------------------------------------------------------

  const time = (seconds) =>
    seconds >= 9.995 ? `${seconds.toFixed(0)} s` : seconds >= 0.9995 ? `${seconds.toFixed(2)} s` : seconds >= 0.00995 ? `${(seconds * 1e3).toFixed(0)} ms`
    : seconds >= 0.0009995 ? `${(seconds * 1e3).toFixed(1)} ms` : `${Math.round(seconds * 1e6)} µs`;
  const compact = (count) => (Math.abs(count) >= 100000 ? `${Math.round(count / 1000)}k` : String(count));

  const SIGNS = { changed: ["●", "changed"], failed: ["✕", "failed"], "only-old": ["−", "only in the old record"], "only-new": ["+", "only in the new record"], unchanged: ["", "unchanged"], differed: ["○", ""], unknown: ["?", "unknown"], skipped: ["", "skipped"] };
  const SAID = { changed: "differs from here", differed: "differed before", unchanged: "the same" };
  const sign = (kind) => [SIGNS[kind][0], (model.comparing && SAID[kind]) || SIGNS[kind][1]];

  function bars(row) {
    const { node, place, kind } = row;
    const group = kind === "node";
    let value = "", share = 0, label = "";
    if (metric === "changed") {
      if (group && node.total > 0) [value, share, label] = [`${compact(node.changed)}/${compact(node.total)}`, node.changed / node.total, `${node.changed} of ${node.total} ${model.comparing ? "differ" : "changed"}`];
    } else {
      const counts = group ? node.counts : Model.current(place).counts, count = counts[metric];
      if (count) [value, share, label] = [compact(count), count / largest[metric], `${count} ${metric}`];
    }
    const own = group ? node.own : place.own, oldOwn = group ? node.oldOwn : place.executions.length > 1 ? place.executions[0]?.own_time ?? 0 : 0;
    const part = largest.own ? own / largest.own : 0;
    const detail = model.comparing ? `own time ${time(own)}, in the old record ${time(oldOwn)}` : `own time ${time(own)}`;
    const meter = (cls, text, share, title) => {
      const bar = el("i");
      bar.style.width = `${Math.min(100, Math.round(share * 1000) / 10)}%`;
      return el("span", { class: `meter ${cls}`, title }, text, share > 0 && bar);
    };
    return [value ? meter("metric", value, share, label) : "", meter("time", own || (group && node.total) ? time(own) : "", part, detail), label ? `${label}, ${detail}` : detail];
  }

  function rowElement(row, index) {
    const { kind, node, place } = row;
    const attributes = { class: "row", role: "treeitem", "aria-level": row.level, "data-row": index, tabindex: -1 };
    if (row.open !== undefined) attributes["aria-expanded"] = String(row.open);
    const twist = el("span", { class: "twist", "aria-hidden": "true" }, row.open === undefined ? "" : row.open ? "▾" : "▸");
    let text, mark = null, tag = null, spoken, meters = ["", "", ""];
    if (kind === "place") {
      const [character, word] = sign(place.status), execution = Model.current(place);
      text = row.inside ? place.label : node.title;
      mark = el("span", { class: `sign ${noted(place) && Model.isChange(place) ? place.status : noted(place) ? "noted" : place.status}`, "aria-hidden": "true" }, character || (noted(place) ? "!" : ""));
      attributes.class += (row.inside ? "" : " pass") + (place.status === "failed" ? " failed" : "") + (Model.isChange(place) || noted(place) ? "" : " dim");
      attributes["aria-selected"] = String(place === selected);
      meters = bars(row), spoken = `${text}, ${word}, ${meters[2]}`;
    } else if (kind === "node") {
      const pass = node.places.length > 0 || isIdle(node);
      text = node.title;
      attributes.class += pass ? " pass" : " pipeline";
      if (node.failed && pass) attributes.class += " failed";
      if (pass && !node.changed && !node.failed) attributes.class += " dim";
      attributes["aria-selected"] = String(node === selected);
      meters = bars(row), spoken = `${text}, ${node.failed ? "failed, " : ""}${meters[2]}`;
      if (isIdle(node)) (tag = el("span", { class: "tag" }, why())), (attributes.class += " idle");
      else if (node.onlyOld) tag = el("span", { class: "tag" }, "only old");
    } else [text, spoken, attributes.class] = [row.label, row.label, "row fold"];
    if (row.place || node) attributes.class += (row.place ?? node).own > largest.own * 0.2 ? " hot" : "";
    attributes["aria-label"] = spoken;
    const element = el("div", attributes, el("span", { class: "name", title: text }, kind === "place" && !row.inside ? null : twist, mark, el("span", { class: "text" }, ...Code.visible(text)), tag), meters[0], meters[1]);
    if (!meters[0]) element.classList.add("plain");
    element.style.setProperty("--level", row.level - 1);
    return element;
  }

  function draw() {
    const refocus = element.contains(document.activeElement);
    largest = { own: 0 };
    const visit = (node) => {
      if (node.places.length) {
        largest.own = Math.max(largest.own, node.places.reduce((sum, place) => sum + place.own, 0));
        for (const [name, count] of Object.entries(node.counts)) largest[name] = Math.max(largest[name] ?? 0, count);
      }
      node.children.forEach(visit);
    };
    visit(model.root);
    rows = [];
    visible(model.root, rows);
    element.replaceChildren(...rows.map(rowElement));
    if (!rows.length) element.append(el("p", { class: "wait" }, matches ? "No matches." : "No pass has run."));
    focus(rows.find((row) => row.key === focused?.key) ?? rows.find(isSelected) ?? rows[0], refocus);
  }

  const isSelected = (row) => selected && (row.place === selected || (row.kind === "node" && row.node === selected));
  const elementOf = (row) => element.children[rows.indexOf(row)];

  function focus(row, really) {
    if (!row) return;
    for (const other of element.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    focused = row;
    elementOf(row).tabIndex = 0;
    if (really) elementOf(row).focus({ preventScroll: true }), elementOf(row).scrollIntoView({ block: "nearest" });
  }

  // -- What one can do --------------------------------------------------------------------------

  function toggle(row, value = !row.open) {
    if (row.open === undefined || matches) return;
    const key = row.kind === "fold" ? row.key : row.node;
    value ? open.add(key) : open.delete(key);
    focused = row;
    draw();
  }

  function activate(row, twisted) {
    focused = row;
    if (row.kind === "more") { listed.set(row.node, (listed.get(row.node) ?? SHOWN) + SHOWN); draw(); }
    else if (row.kind === "fold" || twisted) toggle(row);
    else if (row.kind === "place") choose(row.place.link);
    else if (row.open === undefined) choose(row.node.link);
    else if (row.node === selected || !row.open) toggle(row), row.node.places.length && choose(row.node.link);
    else choose(row.node.link);
  }

  function onKey(event) {
    const at = rows.indexOf(focused), row = rows[at];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const parent = () => rows.slice(0, at).findLast((other) => other.level < row.level);
    const act = {
      ArrowDown: () => focus(rows[at + 1], true),
      ArrowUp: () => focus(rows[at - 1], true),
      Home: () => focus(rows[0], true),
      End: () => focus(rows.at(-1), true),
      ArrowRight: () => (row.open === false ? toggle(row) : row.open && rows[at + 1]?.level > row.level && focus(rows[at + 1], true)),
      ArrowLeft: () => (row.open && !matches ? toggle(row) : focus(parent(), true)),
      Enter: () => activate(row, false),
      " ": () => activate(row, false),
    }[event.key];
    if (act) event.preventDefault(), act();
  }

  // Show what is chosen, with all that it is inside of unfolded.
  function select(target) {
    selected = target;
    const place = target?.executions ? target : null, node = place?.node ?? target;
    for (let each = node; each; each = each.parent) {
      if (each !== target && !(each === node && isLeaf(each))) open.add(each);
      const siblings = each.parent?.children ?? [];
      if (isQuiet(each)) {
        let first = siblings.indexOf(each);
        while (first > 0 && isQuiet(siblings[first - 1]) && isIdle(siblings[first - 1]) === isIdle(each)) first--;
        open.add(siblings[first].path + "/…");
      }
    }
    if (place && !isLeaf(node)) {
      const group = node.places.filter((each) => Model.isChange(each) === Model.isChange(place));
      if (!Model.isChange(place) && !noted(place)) open.add(`${node.path}/quiet`);
      listed.set(node, Math.max(listed.get(node) ?? SHOWN, group.indexOf(place) + 1));
    }
    focused = null;
    draw();
    const row = rows.find(isSelected);
    if (row) focus(row, false), elementOf(row).scrollIntoView({ block: "nearest" });
  }

  function filter(found) { matches = found; draw(); }
  function show(name) { metric = name; draw(); }

  return { filter, select, show, sign, start, time };
})();
