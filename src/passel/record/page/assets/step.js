// What is chosen: the overview, a pass, or one op at a pass with its difference.
"use strict";

const Step = (() => {
  let model;
  let split = true;
  const main = document.getElementById("main");
  const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
  const link = (path) => "#" + encodeURI(path).replace(/#/g, "%23");

  function start(given) {
    model = given;
    split = innerWidth > 1180;
  }

  // -- Parts ------------------------------------------------------------------------------------

  function pager(place) {
    const changes = Page.changes(), at = changes.indexOf(place);
    const step = (by, label, key) => el("button", { type: "button", onclick: () => Page.walk(by), title: `Key ${key}` }, label);
    const word = model.comparing ? "difference" : "change";
    return el("div", { class: "pager" },
      at >= 0 ? `${(at + 1).toLocaleString("en")} of ${plural(changes.length, word)}` : plural(changes.length, word),
      step(-1, "Previous", "k"), step(1, "Next", "j"));
  }

  const fact = (label, value, kind) => value != null && value !== "" && el("span", { class: kind }, `${label} `, el("b", null, ...Code.visible(String(value))));

  // Statistics; with an old record's, those that differ are shown with both values.
  const statistics = (now, old) => Object.keys({ ...old, ...now }).map((name) => {
    const [was, is] = [old ? old[name] ?? 0 : now[name], now[name] ?? 0].map((count) => count.toLocaleString("en"));
    return fact(name, was === is ? is : `${was} → ${is}`);
  });

  function command(text) {
    const copy = el("button", { type: "button" }, "Copy");
    copy.onclick = () => navigator.clipboard.writeText(text).then(() => (copy.textContent = "Copied"), () => {
      getSelection().selectAllChildren(copy.previousSibling);
      copy.textContent = "Selected";
    });
    return el("div", { class: "command" }, el("pre", { tabindex: 0, "aria-label": "Command" }, ...Code.visible(text)), copy);
  }

  function failure(execution, head = "This pass failed") {
    const { kind, message } = execution.failure ?? {};
    return el("section", { class: "failure", "aria-label": "Failure" },
      el("h2", null, head, kind && kind !== "failed" ? ` · ${kind}` : ""),
      message && el("p", null, ...Code.visible(message)));
  }

  // How to see a failure again: from the record, as the reproducer's note says, or as it was seen first.
  function replay(execution) {
    const { again: cut, command: typed, notes } = model.records.at(-1), told = /^to replay: (.*)$/m;
    const others = notes.map((note) => note.replace(/^to replay: .*\n?/m, "")).filter(Boolean);
    const again = execution?.again ?? told.exec(notes.join("\n"))?.[1] ?? (cut || typed);
    return [others.map((note) => el("p", null, ...Code.visible(note))), again && [el("p", { class: "again" }, "To see it again:"), command(again)]];
  }

  // Diagnostics with their places; those that say the same stand once.
  function notes(all) {
    const same = new Map();
    for (const entry of all) {
      const key = JSON.stringify([entry[0].severity, entry[0].message]);
      same.get(key)?.push(entry) ?? same.set(key, [entry]);
    }
    const found = [...same.values()].slice(0, 50).map((entries) => [entries[0][0], entries[0][1], entries.length - 1]);
    return found.length > 0 && el("ul", { class: "notes", "aria-label": "Diagnostics" }, found.map(([each, place, others]) =>
      el("li", { class: `note ${each.severity}` }, place && [el("a", { href: link(place.link) }, `${Model.current(place).title} on ${place.label}`), others > 0 && ` and ${plural(others, "other")}`, "\n"],
        el("span", { class: "severity" }, each.severity), ": ", ...Code.visible(each.message),
        each.location && el("span", { class: "where" }, "  ", ...Code.visible(each.location)),
        (each.notes ?? []).map((note) => el("div", null, "note: ", ...Code.visible(note.message ?? note), note.location && el("span", { class: "where" }, "  ", ...Code.visible(note.location)))))));
  }

  // Diagnostics at a place, but for the failure's own, which stands above them.
  const diagnostics = (place) => {
    const { diagnostics, failure } = Model.current(place);
    return diagnostics.filter((each) => !failure || each.message !== failure.message);
  };

  // Optimization remarks, by function and line of the input.
  function remarks(places) {
    const all = places.flatMap((place) => Model.current(place).remarks.map((each) => [each, place]));
    if (!all.length) return null;
    all.sort(([{ at: a }], [{ at: b }]) => a[0].localeCompare(b[0]) || a[1] - b[1] || a[2] - b[2]);
    const functions = new Map();
    for (const entry of all) functions.get(entry[0].function)?.push(entry) ?? functions.set(entry[0].function, [entry]);
    const rows = [...functions].flatMap(([name, entries]) => entries.slice(0, 200).map(([each, place], i) => [
      i ? "" : el("span", { class: "code" }, ...Code.visible(name && `@${name}`)),
      el("a", { href: link(place.link), class: "code" }, each.at[1] ? `${each.at[1]}:${each.at[2]}` : "?"),
      el("span", { class: each.kind === "Passed" ? "changed" : "" }, each.kind), each.what, [...Code.visible(each.facts)]]));
    return [el("h2", null, "Optimization remarks"), list([["Function"], ["Line"], ["Kind"], ["Remark"], [""]], rows.slice(0, 1000))];
  }

  const strip = (share) => {
    const bar = el("span", { class: "strip", "aria-hidden": "true" });
    bar.style.width = `${Math.max(0.5, share * 100)}%`;
    return bar;
  };

  function list(head, rows) {
    return el("table", { class: "list" },
      el("thead", null, el("tr", null, head.map(([label, kind]) => el("th", { scope: "col", class: kind }, label)))),
      el("tbody", null, rows.map((cells) => el("tr", null, cells.map((cell, i) => el("td", { class: head[i][1] }, cell))))));
  }

  function show(...children) {
    main.replaceChildren(...children.flat(Infinity).filter(Boolean));
    main.scrollTop = 0;
  }

  // -- Overview ---------------------------------------------------------------------------------

  function overview() {
    const passes = [];
    const visit = (node) => { if (node.places.length) passes.push(node); node.children.forEach(visit); };
    visit(model.root);
    const { failures } = model;
    const own = (node) => node.places.reduce((sum, place) => sum + place.own, 0);
    const slow = passes.map((node) => [node, own(node)]).filter(([, time]) => time > 0).sort((a, b) => b[1] - a[1]).slice(0, 12);
    const diagnosed = model.places.flatMap((place) => diagnostics(place).map((each) => [each, place]));
    const first = model.comparing && Page.changes()[0];
    show(
      el("div", { class: "overview" },
        pager(null),
        el("div", { class: "head" }, el("h1", null, ...headline(failures))),
        failures.slice(0, 20).map(([each, place]) => failure(each, place ? el("a", { href: link(place.link) }, `${each.title} on ${place.label}`) : `${each.title} on ${each.name}`)),
        (failures.length > 0 || model.records.at(-1).cut) && replay(failures[0]?.[0]),
        first && [el("h2", null, "First difference"), el("p", null, el("a", { href: link(first.link) }, `${Model.current(first).title} on ${first.label}`), ` · ${Tree.sign(first.status)[1]}`)],
        remarks(model.places),
        diagnosed.length > 0 && [el("h2", null, "Diagnostics"), notes(diagnosed)],
        slow.length > 0 && [el("h2", null, "Where time went"), times(slow)],
        model.records.map((record, i) => [el("h2", null, model.comparing ? `${i ? "New" : "Old"}: ${record.name}` : "The run"), facts(record)])));
  }

  function headline(failed) {
    if (failed.length) {
      const [[{ title, name }]] = failed;
      return [el("code", null, ...Code.visible(title)), " failed on ", el("code", null, ...Code.visible(name)), failed.length > 1 ? `, and ${failed.length - 1} more failed` : ""];
    }
    const { cut } = model.records.at(-1);
    if (cut) return [`The run was cut off`, ...(cut.length ? [" in ", el("code", null, ...Code.visible(cut.at(-1)))] : [])];
    const count = model.places.filter(Model.isCounted).length;
    if (model.comparing) return [count ? `The records differ at ${plural(count, "place")} of ${model.places.length.toLocaleString("en")}` : "The records differ only in times"];
    return [`${plural(count, "change")} in ${plural(model.places.length, "execution")} of passes`];
  }

  function times(slow) {
    const most = slow[0][1];
    const head = [["Pass"], ["", "wide"], ["Own time", "num"], ...(model.comparing ? [["Old", "num"]] : []), [model.comparing ? "Differ" : "Changed", "num"]];
    return list(head, slow.map(([node, time]) => [
      el("a", { href: link(node.link), class: "code" }, node.title), strip(time / most), Tree.time(time),
      ...(model.comparing ? [Tree.time(node.places.reduce((sum, place) => sum + (place.executions[0]?.own_time ?? 0), 0))] : []),
      `${node.places.filter(Model.isCounted).length.toLocaleString("en")} of ${node.places.length.toLocaleString("en")}`]));
  }

  const facts = ({ facts: found }) => el("dl", null, found.map(([name, value]) =>
    [el("dt", null, name), el("dd", { class: "code" }, ...Code.visible(value))]));

  // -- A pass, or a pipeline ----------------------------------------------------------------------

  function group(node) {
    const places = [...node.places].sort((a, b) => b.own - a.own);
    const most = Math.max(...places.map((place) => place.own), 0) || 1;
    const inside = [];
    const visit = (each) => each.children.forEach((child) => { if (child.places.length) inside.push(child); visit(child); });
    visit(node);
    const passTime = (each) => each.places.reduce((sum, place) => sum + place.own, 0);
    show(
      pager(null),
      el("div", { class: "head" },
        el("p", { class: "crumbs" }, node.path),
        el("h1", null, el("code", null, ...Code.visible(node.title))),
        el("p", { class: "facts" },
          fact(model.comparing ? "differ" : "changed", `${node.changed.toLocaleString("en")} of ${node.total.toLocaleString("en")}`, node.changed ? "changed" : ""),
          fact("own time", Tree.time(node.own)), model.comparing && fact("in the old record", Tree.time(node.oldOwn)),
          statistics(node.counts, model.comparing && node.oldCounts))),
      notes(places.flatMap((place) => diagnostics(place).map((each) => [each, place]))),
      places.length > 0 && list([["Op"], ["", "wide"], ["Own time", "num"], ["", "num"]], places.slice(0, 1000).map((place) => [
        el("a", { href: link(place.link), class: "code" }, ...Code.visible(place.label)), strip(place.own / most), Tree.time(place.own), Tree.sign(place.status)[1]])),
      !places.length && !inside.length && el("p", { class: "empty" }, "There is no execution of this pass in the record."),
      !places.length && inside.length > 0 && times(inside.map((each) => [each, passTime(each)]).sort((a, b) => b[1] - a[1])),
      node.parent === model.root && whole());
  }

  // What became of the input in all.
  function whole() {
    const states = model.records.flatMap((record) => record.whole);
    if (!states.length) return null;
    let [from, to] = model.comparing ? [states.findLast((state) => !state.side), states.at(-1)] : states;
    const view = el("div"), counts = el("span", { class: "counts" });
    const redraw = () => difference(view, counts, from, to);
    redraw();
    return [el("h2", null, "The whole run"), controls(states, [from, to], (a, b) => { [from, to] = [a, b]; redraw(); }, counts), view];
  }

  // -- One op at a pass ---------------------------------------------------------------------------

  // The states of the op, of all records.
  const statesOf = (place) => model.records.flatMap((record, side) => {
    const execution = place.executions[side] ?? place.executions.find(Boolean);
    return Model.states(record.executions, side, execution.identity, model.comparing ? (side ? "new: " : "old: ") : "");
  });

  // The state an execution left, or found: its own text, or that of the last pass that changed the op.
  function around(states, execution, side) {
    const own = states.filter((state) => state.side === side);
    const at = (index) => own.findLast((state) => state.index <= index);
    const before = execution.before !== null ? own.find((state) => state.text === execution.before) : at(execution.number - 1) ?? own[0];
    const after = execution.after !== null ? own.findLast((state) => state.text === execution.after && state.index <= execution.number) ?? own.find((state) => state.text === execution.after) : execution.status === "failed" ? before : at(execution.number) ?? before;
    return [before, after];
  }

  function place(found) {
    const execution = Model.current(found), states = statesOf(found);
    const ends = found.executions.map((each, side) => each && around(states, each, side));
    const [a, b] = ends;
    let [from, to] = a && b ? [a[1], b[1]] : (a ?? b);
    const old = a && b ? found.executions[0] : null;
    const view = el("div", { "aria-live": "off" });
    const redraw = () => difference(view, counts, from, to);
    const counts = el("span", { class: "counts" });
    show(
      pager(found),
      el("div", { class: "head" },
        el("p", { class: "crumbs" }, execution.path),
        el("h1", null, el("code", null, ...Code.visible(execution.title)), el("span", { class: "of" }, " on "), el("code", null, ...Code.visible(found.label))),
        el("p", { class: "facts" },
          el("span", { class: found.status }, el("b", null, Tree.sign(found.status)[1])),
          fact("own time", Tree.time(execution.own_time)), old && fact("in the old record", Tree.time(old.own_time)),
          execution.total_time - execution.own_time > 1e-6 && fact("with what is nested", Tree.time(execution.total_time)),
          statistics(execution.counts, old?.counts),
          fact("at", execution.location))),
      found.status === "failed" && [failure(execution), replay(execution)],
      remarks([found]),
      notes(diagnostics(found).map((each) => [each])),
      states.length > 0 ? controls(states, [from, to], (a, b) => { [from, to] = [a, b]; redraw(); }, counts) : null,
      view);
    if (states.length) redraw();
    else view.append(el("p", { class: "empty" }, "No pass changed this op, so the record has no separate text of the op. The texts of its enclosing ops contain it."));
    Page.say(`${execution.title} on ${found.label}, ${Tree.sign(found.status)[1]}`);
  }

  function controls(states, [from, to], chosen, counts) {
    const pick = (label, value) => {
      const select = el("select", { "aria-label": label }, states.map((state, i) => el("option", { value: i, selected: state === value }, state.label)));
      select.onchange = () => chosen(states[first.value], states[second.value]);
      return select;
    };
    const first = pick("Compare from", from), second = pick("Compare to", to);
    const input = el("input", { type: "checkbox", checked: split, id: "split", title: "Key s" });
    input.onchange = () => ((split = input.checked), chosen(states[first.value], states[second.value]));
    return el("div", { class: "controls", role: "group", "aria-label": "Comparison" },
      el("span", { class: "between" }, first, el("span", { "aria-hidden": "true" }, "→"), second, counts),
      el("label", { class: "check" }, input, "Side by side"));
  }

  async function difference(view, counts, from, to) {
    const texts = await model.texts;
    if (!from || !to) return;
    const [old, now] = [from, to].map((state) => texts[state.text].split("\n"));
    const same = from.text === to.text;
    const diff = Texts.compare(old, now, Texts.way(model.changes, from.text, to.text));
    const nothing = diff.removed + diff.added === 0;
    counts.replaceChildren(...(nothing ? [] : [el("span", { class: "plus" }, `+${diff.added.toLocaleString("en")}`), " ", el("span", { class: "minus" }, `−${diff.removed.toLocaleString("en")}`)]));
    const why = same ? "Nothing differs." : nothing ? "Only value names or locations differ." : null;
    view.replaceChildren(...[why && el("p", { class: "empty" }, why), Code.table(diff, split && !nothing, nothing)].filter(Boolean));
    Page.mark();
  }

  return { group, link, overview, place, start };
})();
