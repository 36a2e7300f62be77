// Start, links, keys, search.
"use strict";

const Page = (() => {
  const by = (id) => document.getElementById(id);
  let model, links, order = [], changed = [], current = null, routed = null, matches = null, query = "";

  async function start() {
    model = await Model.load();
    links = new Map();
    const register = (target, path) => {
      target.link = path;
      for (let times = 2; links.has(target.link); times++) target.link = `${path}~${times}`;
      links.set(target.link, target);
    };
    const walk = (node) => {
      register(node, node.path);
      for (const place of node.places) register(place, `${node.path}/${place.name}`), (place.index = order.push(place));
      node.children.forEach(walk);
    };
    walk(model.root);
    changed = order.filter(Model.isChange);
    metrics();
    verdict();
    Step.start(model);
    Tree.start(model, (path) => go(Step.link(path)));
    addEventListener("hashchange", route);
    addEventListener("keydown", onKey);
    by("search").oninput = () => { clearTimeout(start.timer); start.timer = setTimeout(search, 120); };
    by("search").onkeydown = (event) => {
      if (event.key === "Enter") walkBy(1);
      if (event.key === "Escape") (by("search").value = ""), search(), by("tree").querySelector('[tabindex="0"]')?.focus();
    };
    by("keys").onclick = () => by("help").showModal();
    by("skip").onclick = () => by("main").focus();
    by("theme").onclick = theme;
    route();
    document.body.dataset.ready = "";
  }

  function metrics() {
    const names = Object.keys(model.root.counts);
    by("metric").append(el("option", { value: "changed" }, model.comparing ? "Differ" : "Changed"), ...names.map((name) => el("option", { value: name }, name)));
    by("metric").onchange = () => Tree.show(by("metric").value);
  }

  function verdict() {
    const { root, failures: { length: failed } } = model;
    const words = [`${model.places.length.toLocaleString("en")} executions`, `${model.places.filter(Model.isCounted).length.toLocaleString("en")} ${model.comparing ? "differ" : "changed"}`, Tree.time(root.own)];
    by("verdict").append(failed ? el("strong", { class: "bad" }, `${failed} failed`) : model.records.at(-1).cut ? el("strong", { class: "bad" }, "Cut off") : el("strong", null, model.comparing ? "Two records" : "Passed"), " · " + words.join(" · "));
  }

  const THEMES = { auto: "light", light: "dark", dark: "auto" };
  function theme() {
    const next = THEMES[by("theme").textContent.slice(7)];
    by("theme").textContent = `Theme: ${next}`;
    document.documentElement.style.colorScheme = next === "auto" ? "" : next;
  }

  // -- Where one is -----------------------------------------------------------------------------

  // At once, not when the browser says so: keys may come faster.
  function go(link) {
    location.hash = link;
    route();
  }

  function route() {
    let path = location.hash.slice(1);
    try { path = decodeURIComponent(path); } catch { /* as it is */ }
    if (path === routed) return;
    routed = path;
    current = (path && links.get(path)) || null;
    Tree.select(current);
    again();
  }

  function again() {
    if (!current) Step.overview();
    else if (current.executions) Step.place(current);
    else Step.group(current);
  }

  const changes = () => (matches ? changed.filter((place) => matches.has(place)) : changed);

  // To the next change, or the one before, of those that the search leaves.
  function walkBy(step) {
    const all = changes();
    if (!all.length) return say("No changes");
    const first = current && firstOf(current);
    const here = current?.executions ? current.index : first ? first.index - 0.5 : -1;
    const at = all.findIndex((place) => place.index >= here);
    const exact = at >= 0 && all[at] === current;
    const next = step > 0 ? (at < 0 ? all.length : at + (exact ? 1 : 0)) : (at < 0 ? all.length : at) - 1;
    if (next < 0 || next >= all.length) return say(step > 0 ? "This is the last change" : "This is the first change");
    go(Step.link(all[next].link));
  }

  const firstOf = (node) => node.executions ? node : node.places[0] ?? node.children.map(firstOf).find(Boolean);

  const say = (text) => { by("status").textContent = text; };

  // -- Search -----------------------------------------------------------------------------------

  async function search() {
    query = by("search").value.trim().toLowerCase();
    const asked = query;
    if (!query) matches = null;
    else {
      const found = new Set(order.filter((place) => told(place).includes(query)));
      if (query.length > 1) for (const place of await inTexts(query)) found.add(place);
      if (asked !== query) return;
      matches = found;
    }
    by("found").textContent = matches ? `${matches.size.toLocaleString("en")} found` : "Pipeline";
    say(matches ? `${matches.size} found` : "");
    Tree.filter(matches);
    mark();
  }

  const told = (place) => {
    const execution = Model.current(place);
    const words = [execution.path, execution.title, place.label, execution.op_name, execution.failure?.message, ...execution.diagnostics.map((each) => each.message), ...execution.remarks.map((each) => `${each.kind} ${each.what} ${each.facts}`)];
    return words.join("\n").toLowerCase();
  };

  // Changes of ops that add or remove lines with these words.
  async function inTexts(words) {
    const counts = (await model.texts).map((text) => {
      const lower = text.toLowerCase();
      return lower.includes(words) ? lower.split("\n").filter((line) => line.includes(words)).length : 0;
    });
    const count = (text) => (text === null ? 0 : counts[text]);
    return order.filter((place) => {
      const texts = model.comparing && place.executions[1] ? place.executions.map((each) => each?.after ?? null) : [Model.current(place).before, Model.current(place).after];
      return count(texts[0]) !== count(texts[1]);
    });
  }

  // Mark the words that are searched for in what is shown.
  function mark() {
    if (!globalThis.CSS?.highlights) return;
    CSS.highlights.delete("found");
    if (query.length < 2) return;
    const ranges = [], walker = document.createTreeWalker(by("main"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && ranges.length < 2000) {
      const text = walker.currentNode.data.toLowerCase();
      for (let at = text.indexOf(query); at >= 0 && ranges.length < 2000; at = text.indexOf(query, at + query.length)) {
        const range = new Range();
        range.setStart(walker.currentNode, at), range.setEnd(walker.currentNode, at + query.length);
        ranges.push(range);
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  }

  // -- Keys -------------------------------------------------------------------------------------

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || by("help").open) return;
    if (event.target.closest?.("input:not([type=checkbox]), select, textarea")) return;
    const act = {
      j: () => walkBy(1),
      k: () => walkBy(-1),
      f: () => { const first = model.failures[0]?.[1] ?? changed[0]; if (first) go(Step.link(first.link)); },
      o: () => go(""),
      "/": () => by("search").focus(),
      s: () => by("split")?.click(),
      "?": () => by("help").showModal(),
    }[event.key];
    if (act) event.preventDefault(), act();
  }

  return { changes, mark, say, start, walk: walkBy };
})();

Page.start();
