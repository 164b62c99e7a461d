"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const one = (id) => document.getElementById(id);
const left = one("left"), right = one("right");
const make = (tag, text, kind) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
};

// Lines ------------------------------------------------------------------------------------------

const groupsOf = (row) => (row.dataset.g || "").split(" ").filter(Boolean);
const sideOf = (row) => (left.contains(row) ? left : right);
const rowsOf = (side) => all("tr.line", side).filter((row) => row.offsetParent !== null);
let kept = null;

/** Light the lines that belong to a line: its own statement here, its partners there. */
function light(row, isKept) {
  for (const lit of all("tr.lit, tr.kept")) lit.classList.remove("lit", "kept");
  if (!row) return describe(null);
  // On the right a line may be of several statements; on the left a statement has many partners.
  const groups = new Set(groupsOf(row));
  for (const each of all("tr[data-g]")) {
    if (groupsOf(each).some((group) => groups.has(group))) each.classList.add(isKept ? "kept" : "lit");
  }
  row.classList.add(isKept ? "kept" : "lit");
  describe(row);
}

function partnersOf(row) {
  const groups = new Set(groupsOf(row));
  const other = sideOf(row) === left ? right : left;
  const found = rowsOf(other).filter((each) => groupsOf(each).some((group) => groups.has(group)));
  // The statement itself before those that it is called from or nested in.
  const first = groupsOf(row)[0];
  return [...found.filter((each) => groupsOf(each)[0] === first), ...found.filter((each) => groupsOf(each)[0] !== first)];
}

function isInView(row) {
  const box = row.closest(".scroll, .panel").getBoundingClientRect(), line = row.getBoundingClientRect();
  return line.top >= box.top && line.bottom <= box.bottom;
}

function keep(row) {
  kept = kept === row ? null : row;
  light(kept, true);
  const partners = kept ? partnersOf(kept) : [];
  if (partners.length && !partners.some(isInView)) partners[0].scrollIntoView({ block: "center" });
}

function focus(row) {
  if (!row) return;
  for (const each of all('tr.line[tabindex="0"]', sideOf(row))) each.tabIndex = -1;
  row.tabIndex = 0;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (!kept) light(row, false);
}

/** What is known of the statement of a line, below both sides. */
function describe(row) {
  const details = one("details");
  const group = row && groupsOf(row).find((each) => data.groups[each]);
  if (!group) {
    details.replaceChildren(make("span", row ? "No line of yours: the compiler's own." : data.hint, "hint"));
    return;
  }
  const list = make("dl");
  for (const [head, text, kind] of data.groups[group]) {
    const item = make("div");
    item.append(make("dt", head), make("dd"));
    item.lastChild.append(make(kind === "code" ? "code" : "span", text, kind === "code" ? "" : kind));
    list.append(item);
  }
  details.replaceChildren(list);
}

document.addEventListener("mouseover", (event) => {
  const row = event.target.closest?.("tr.line");
  if (!kept) light(row, false);
});
document.addEventListener("click", (event) => {
  const row = event.target.closest("tr.line");
  if (!row || String(getSelection())) return;
  focus(row);
  keep(row);
});

// Tabs -------------------------------------------------------------------------------------------

const tabs = all('[role="tab"]');

function open(tab) {
  for (const each of tabs) {
    each.setAttribute("aria-selected", each === tab);
    each.tabIndex = each === tab ? 0 : -1;
    one(each.getAttribute("aria-controls")).hidden = each !== tab;
  }
  if (tab.dataset.tab === "ir" && !one("ir").children.length) showStep(data.start);
  if (kept && !kept.isConnected) kept = null;
  search();
}

tabs.forEach((tab, k) => {
  tab.addEventListener("click", () => open(tab));
  tab.addEventListener("keydown", (event) => {
    const next = { ArrowRight: k + 1, ArrowLeft: k - 1 }[event.key];
    if (next === undefined) return;
    const found = tabs[(next + tabs.length) % tabs.length];
    open(found);
    found.focus();
    event.stopPropagation();
    event.preventDefault();
  });
});

// The program after a pass ------------------------------------------------------------------------

const TOKENS = /(#.*$)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\b(def|return|for|in|while|if|else|try|except|with|yield|carrying|reading|collecting|counting|leaving|reversed|do|test|pass|True|False|None)\b|(?<![\w.])(\d[\w.]*)/g;
const KINDS = ["c", "s", "k", "n"];

function highlighted(text, cell) {
  let at = 0;
  for (const match of text.matchAll(TOKENS)) {
    cell.append(text.slice(at, match.index), make("span", match[0], KINDS[match.slice(1).findIndex(Boolean)]));
    at = match.index + match[0].length;
  }
  cell.append(text.slice(at));
}

function showStep(number) {
  const step = data.steps[number], before = data.steps[number - 1];
  const old = new Set(before && before.program === step.program ? before.lines : step.lines);
  const body = make("tbody");
  step.lines.forEach((id, k) => {
    const [text, groups] = data.lines[id];
    const row = make("tr", undefined, old.has(id) ? "line" : "line new");
    row.tabIndex = -1;
    if (groups.length) {
      row.dataset.g = groups.join(" ");
      row.style.setProperty("--h", (groups[0] * 137) % 360);
    }
    row.append(make("td", k + 1, "no"), make("td"));
    highlighted(text, row.lastChild);
    body.append(row);
  });
  one("ir").replaceChildren(body);
  one("step").value = number;
  if (kept && !kept.isConnected) kept = null;
  light(kept, true);
  search();
}

const walk = (by) => {
  const next = Number(one("step").value) + by;
  if (data.steps[next]) showStep(next);
};
if (one("step")) {
  one("step").addEventListener("change", (event) => showStep(Number(event.target.value)));
  one("step-back").addEventListener("click", () => walk(-1));
  one("step-on").addEventListener("click", () => walk(1));
}

// Search -----------------------------------------------------------------------------------------

const box = one("search");
let hits = [], at = -1;

function search() {
  const wanted = box.value.toLowerCase();
  for (const row of all("tr.hit")) row.classList.remove("hit", "at");
  hits = wanted ? [...rowsOf(left), ...rowsOf(right)].filter((row) => row.textContent.toLowerCase().includes(wanted)) : [];
  at = -1;
  const ranges = [];
  for (const row of hits) {
    row.classList.add("hit");
    const walker = document.createTreeWalker(row.lastElementChild, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode.data.toLowerCase();
      for (let k = text.indexOf(wanted); k >= 0; k = text.indexOf(wanted, k + wanted.length)) {
        const range = new Range();
        range.setStart(walker.currentNode, k);
        range.setEnd(walker.currentNode, k + wanted.length);
        ranges.push(range);
      }
    }
  }
  if (globalThis.CSS?.highlights) CSS.highlights.set("found", new Highlight(...ranges));
  tell();
}

function tell() {
  one("found").textContent = !box.value ? "" : !hits.length ? "nothing" : at < 0 ? `${hits.length} lines` : `${at + 1} of ${hits.length}`;
}

function go(by) {
  if (!hits.length) return;
  hits[at]?.classList.remove("at");
  at = at < 0 ? (by > 0 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length;
  hits[at].classList.add("at");
  hits[at].scrollIntoView({ block: "center" });
  if (!kept) light(hits[at], false);
  tell();
}

box.addEventListener("input", search);
box.addEventListener("keydown", (event) => {
  if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
  if (event.key === "Escape") {
    box.value = "";
    search();
    box.blur();
  }
  event.stopPropagation();
});

// Keys -------------------------------------------------------------------------------------------

function move(row, by) {
  const rows = rowsOf(sideOf(row));
  focus(rows[rows.indexOf(row) + by]);
}

const onLine = {
  ArrowDown: (row) => move(row, 1),
  ArrowUp: (row) => move(row, -1),
  ArrowRight: (row) => sideOf(row) === left && focus(partnersOf(row)[0]),
  ArrowLeft: (row) => sideOf(row) === right && focus(partnersOf(row)[0]),
  Enter: (row) => keep(row),
  " ": (row) => keep(row),
};
const anywhere = {
  "/": () => box.focus(),
  "?": () => one("keys").showModal(),
  "[": () => one("step") && walk(-1),
  "]": () => one("step") && walk(1),
  Escape: () => {
    kept = null;
    light(null, false);
  },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, dialog")) return;
  const row = event.target.closest("tr.line");
  const tab = tabs[Number(event.key) - 1];
  const act = (row && onLine[event.key]) || anywhere[event.key] || (tab && (() => open(tab)));
  if (!act) return;
  event.preventDefault();
  act(row);
});
one("keys-open").addEventListener("click", () => one("keys").showModal());

for (const side of [left, right]) {
  const first = all("tr.line", side)[0];
  if (first) first.tabIndex = 0;
}
