// IR as elements: coloured, with differences marked, always as text.
"use strict";

// An element with attributes, properties (functions) and children.
function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") element[name] = value;
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

const Code = (() => {
  const LONG = 1600; // characters of a line that are shown before somebody asks for more
  const PAGE = 1500; // rows that are made at once
  const CONTEXT = 3;

  const TOKEN = new RegExp(
    [
      /(?<string>"(?:[^"\\]|\\.)*")/, /(?<dim>\/\/.*|\bloc\(.*|#loc\w*)/, /(?<value>[%^][\w$.\-]+)/, /(?<symbol>@[\w$.\-]+)/,
      /(?<type>![\w$.<]+|\b(?:[su]?i\d+|b?f\d+\w*|index|memref|tensor|vector|none)\b(?!\.))/, /(?<op>\b[a-z_]\w*\.[a-z_][\w.$]*)/,
    ].map((part) => part.source).join("|"), "gu");
  // What would act on the text around it, or not be seen.
  const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;

  // Pieces [text, class, differs] of a line: tokens, cut where differences begin and end.
  function pieces(line, segments) {
    const tokens = [];
    let at = 0;
    if (line.length <= LONG)
      for (const found of line.matchAll(TOKEN)) {
        if (found.index > at) tokens.push([at, found.index, ""]);
        const kind = Object.keys(found.groups).find((name) => found.groups[name] !== undefined);
        tokens.push([found.index, (at = found.index + found[0].length), kind]);
      }
    if (at < line.length) tokens.push([at, line.length, ""]);
    const result = [];
    let start = 0, i = 0;
    for (const [text, differs] of segments ?? [[line, false]]) {
      const end = start + text.length;
      while (i < tokens.length && tokens[i][0] < end) {
        const [from, to, kind] = tokens[i];
        result.push([line.slice(Math.max(from, start), Math.min(to, end)), kind, differs]);
        if (to > end) break;
        i++;
      }
      start = end;
    }
    return result;
  }

  const visible = (text) => text.split(new RegExp(`(${CONTROL.source})`, "u")).map((part) =>
    part.length === 1 && CONTROL.test(part)
      ? el("span", { class: "t-control", title: "An invisible character" }, "U+" + part.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0"))
      : part);

  // Text whose middle waits behind a button if it is long.
  function shown(text) {
    if (text.length <= LONG) return visible(text);
    const more = el("button", { type: "button", class: "more" }, `${(text.length - LONG).toLocaleString("en")} more characters`);
    more.onclick = () => more.replaceWith(...visible(text.slice(LONG / 2, text.length - LONG / 2)));
    return [...visible(text.slice(0, LONG / 2)), more, ...visible(text.slice(text.length - LONG / 2))];
  }

  // A line's content; `tag` is what marks differences.
  function line(text, segments, tag) {
    const content = [];
    let mark = null;
    for (const [part, kind, differs] of pieces(text, segments)) {
      const nodes = shown(part);
      let node = nodes;
      if (kind) node = [el("span", { class: `t-${kind}` }, ...nodes)];
      if (!differs) mark = null;
      else if (mark) { mark.append(...node); continue; }
      else node = [(mark = el(tag, null, ...node))];
      content.push(...node);
    }
    return content;
  }

  // -- Rows -------------------------------------------------------------------------------------

  const cell = (kind, number, sign, content, second) => [
    el("td", { class: `at ${kind}${second ? " second" : ""}`, "data-n": number < 0 ? "" : number + 1 }),
    el("td", { class: `line ${kind}`, "data-sign": sign }, ...content),
  ];
  const nothing = (second) => cell("none", -1, "", [], second);

  function rowsOf([i, j, same], diff, split) {
    const { old, now } = diff;
    if (same) {
      if (split) return [el("tr", null, ...cell("", i, "", line(old[i])), ...cell("", j, "", line(now[j]), true))];
      return [el("tr", null, el("td", { class: "at", "data-n": i + 1 }), ...cell("", j, "", line(now[j])))];
    }
    const [left, right] = i >= 0 && j >= 0 ? Words.inLine(old[i], now[j]) : [null, null];
    const before = i >= 0 && cell("old", i, "−", line(old[i], left, "del"));
    const after = j >= 0 && cell("new", j, "+", line(now[j], right, "ins"), true);
    if (split) return [el("tr", null, ...(before || nothing()), ...(after || nothing(true)))];
    const rows = [];
    if (before) rows.push(el("tr", { class: "removed" }, before[0], el("td", { class: "at old" }), before[1]));
    if (after) rows.push(el("tr", { class: "added" }, el("td", { class: "at new" }), ...after));
    return rows;
  }

  // Runs of rows in inline order: what is removed of a block stands before what is added.
  function inline(rows) {
    const result = [];
    for (let at = 0; at < rows.length; at++) {
      if (rows[at][2]) { result.push(rows[at]); continue; }
      const block = [];
      for (; at < rows.length && !rows[at][2]; at++) block.push(rows[at]);
      at--;
      result.push({ block });
    }
    return result;
  }

  function blockRows(block, diff) {
    const made = block.flatMap((row) => rowsOf(row, diff, false));
    const removed = made.filter((row) => row.className === "removed");
    return [...removed, ...made.filter((row) => row.className !== "removed")];
  }

  // Where unchanged rows are left out: [start, end] in the rows.
  function gaps(rows) {
    const found = [];
    for (let at = 0; at < rows.length; ) {
      let end = at;
      while (end < rows.length && rows[end][2]) end++;
      const from = at === 0 ? 0 : at + CONTEXT, to = end === rows.length ? end : end - CONTEXT;
      if (to - from > 2) found.push([from, to]);
      at = end;
      while (at < rows.length && !rows[at][2]) at++;
    }
    return found;
  }

  // The table of a difference. If nothing differs, or `whole`, all lines are shown.
  function table(diff, split, whole) {
    const body = el("tbody");
    const columns = split ? [true, false, true, false] : [true, true, false];
    const caption = el("caption", { class: "hidden" }, split ? "Before, and after" : "Removed and added lines");
    const element = el("table", { class: `diff ${split ? "split" : "inline"}${whole ? " whole" : ""}` }, caption,
      el("colgroup", null, columns.map((narrow) => el("col", narrow ? { class: "at" } : null))), body);
    const { rows } = diff, left = whole ? [] : gaps(rows);
    let at = 0;
    const parts = [];
    for (const [from, to] of [...left, [rows.length, rows.length]]) {
      if (at < from) parts.push([at, from, false]);
      if (from < to) parts.push([from, to, true]);
      at = to;
    }
    append(body, parts, diff, split, columns.length);
    return element;
  }

  function append(body, parts, diff, split, columns, before = null) {
    let room = PAGE;
    const put = (...rows) => (before ? before.before(...rows) : body.append(...rows));
    for (let index = 0; index < parts.length; index++) {
      const [from, to, folded] = parts[index];
      if (folded) { put(gap(parts[index], diff, split, columns)); continue; }
      const end = Math.min(to, from + room), part = diff.rows.slice(from, end);
      if (split) put(...part.flatMap((row) => rowsOf(row, diff, true)));
      else for (const each of inline(part)) put(...(each.block ? blockRows(each.block, diff) : rowsOf(each, diff, false)));
      room -= end - from;
      if (room <= 0 && (end < to || index + 1 < parts.length)) {
        const rest = [[end, to, false], ...parts.slice(index + 1)].filter(([a, b]) => a < b);
        const count = rest.reduce((sum, [a, b, hidden]) => sum + (hidden ? 0 : b - a), 0);
        const row = button(`${count.toLocaleString("en")} more lines to show`, columns, () => {
          append(body, rest, diff, split, columns, row);
          row.remove();
        });
        put(row);
        return;
      }
    }
  }

  function gap([from, to], diff, split, columns) {
    const next = diff.rows[to]?.[1] ?? -1;
    const where = next >= 0 ? Texts.enclosing(diff.now, next) : "";
    const row = button(`${(to - from).toLocaleString("en")} unchanged lines${where ? ` · in ${where}` : ""}`, columns, () => {
      append(row.parentNode, [[from, to, false]], diff, split, columns, row);
      row.remove();
    });
    return row;
  }

  const button = (label, columns, onclick) =>
    el("tr", { class: "gap" }, el("td", { colspan: columns }, el("button", { type: "button", onclick }, label)));

  return { table, visible };
})();
