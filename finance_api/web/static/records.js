// Comfort for the list of records where scripts run; it works without.
"use strict";

const list = document.querySelector(".lines");
const chosen = document.getElementById("chosen");
const said = document.getElementById("announcement");
const wholePage = document.getElementById("choose-page");
/** Amounts up to this have an exact sum, also when it is divided. */
const EXACT_UNITS = 1e15;
let lastTicked;

/** Shows the form for several records as soon as one is ticked. */
function showChosen() {
  const ticked = [...list.querySelectorAll("tbody .choose input:checked")];
  chosen.hidden = ticked.length === 0 && !list.classList.contains("selecting");
  const count = document.getElementById("chosen-count");
  if (count) count.textContent = [`${ticked.length} chosen`, sumOf(ticked)].join(" ");
  wholePage.checked = ticked.length > 0 && ticked.length === list.querySelectorAll("tbody .choose input").length;
}

/** Returns what the ticked records add up to, by currency; "" where numbers of scripts are not exact. */
function sumOf(boxes) {
  const sums = {};
  for (const { dataset } of boxes) {
    const sum = (sums[dataset.currency] ??= { units: 0, decimals: Number(dataset.decimals) });
    sum.units += Number(dataset.units);
    if (Math.abs(sum.units) > EXACT_UNITS || Math.abs(dataset.units) > EXACT_UNITS) return "";
  }
  return Object.entries(sums)
    .map(([code, { units, decimals }]) => `${amountText(units, decimals, chosen.dataset)} ${code}`)
    .join(", ");
}

/** Puts a part of a newer page, if it has this part, in place of the old one. */
function renew(part, page) {
  const newer = part && page.getElementById(part.id);
  if (newer) {
    if (part.open) newer.open = true;
    part.replaceWith(newer);
  }
  return newer;
}

/** Sends the form of a row and shows what the server made of it: the row, the sums, the notice. */
async function setCategory(form, button) {
  const row = form.closest("tr");
  const next = (row.nextElementSibling ?? row).querySelector("[name=category]");
  next.focus();
  next.select();
  let page, response;
  try {
    const body = new URLSearchParams(new FormData(form, button));
    response = await fetch(form.action, { method: "POST", body });
    page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (!page.querySelector("main > .filters")) throw new Error("not the list");
  } catch {
    form.submit();
    return;
  }
  const isTicked = row.querySelector(".choose input").checked;
  const hadFocus = row.contains(document.activeElement);
  const newer = renew(row, page);
  if (newer) newer.querySelector(".choose input").checked = isTicked;
  // The last row has no next one.
  if (hadFocus) (newer ?? row.previousElementSibling)?.querySelector("[name=category]").focus();
  // The row no longer matches the filters. Without rows, follow to another page, if there is one.
  if (!newer) row.remove();
  if (response.redirected && !list.querySelector("tbody tr")) location.assign(response.url);
  renew(document.getElementById("sums"), page);
  for (const old of document.querySelectorAll("main > .notice")) old.remove();
  const notice = page.querySelector("main > .notice");
  if (notice) document.querySelector("main").prepend(notice);
  const error = newer?.querySelector(".error");
  said.textContent = (error ?? notice?.querySelector("span"))?.textContent ?? "";
  // What was typed meanwhile goes on.
  if (error && next.value === next.defaultValue) newer.querySelector("[name=category]").focus();
}

list?.addEventListener("change", ({ target }) => {
  if (target === wholePage)
    for (const box of list.querySelectorAll("tbody .choose input:enabled")) box.checked = wholePage.checked;
  if (target === wholePage || target.name === "id") showChosen();
});
// With Shift, all rows since the last one that was clicked follow.
list?.addEventListener("click", ({ target, shiftKey }) => {
  if (target.name !== "id") return;
  const boxes = [...list.querySelectorAll("tbody .choose input")];
  const [from, to] = [boxes.indexOf(lastTicked), boxes.indexOf(target)].sort((a, b) => a - b);
  if (shiftKey && from >= 0)
    for (const box of boxes.slice(from, to + 1)) box.checked = target.checked;
  lastTicked = target;
});
list?.addEventListener("focusin", ({ target }) => {
  if (target.name === "category") target.select();
});
list?.addEventListener("submit", (event) => {
  event.preventDefault();
  setCategory(event.target, event.submitter);
});
if (list) {
  // Open, the form would cover the list.
  if (!chosen.querySelector(".field .error")) chosen.querySelector("details").open = false;
  wholePage.hidden = wholePage.disabled = Boolean(chosen.elements.all);
  showChosen();
  // Back to the list restores what was ticked.
  addEventListener("pageshow", showChosen);
}

// A filter that is chosen applies at once, and keeps the focus.
const filters = document.querySelector("form.filters, #choices");
filters?.addEventListener("change", ({ target }) => {
  if (target.localName !== "select") return;
  const { form } = target;
  form.action = `${location.pathname}${location.search}#${target.id}`;
  form.requestSubmit(filters.querySelector("[name=show]"));
});
const applied = document.getElementById(location.hash.slice(1));
if (filters?.contains(applied)) {
  if (applied.closest("details")) applied.closest("details").open = true;
  applied.focus({ preventScroll: true });
}

// Keyboard shortcuts, unless a control has the focus or the user switched them off.
const help = document.getElementById("shortcuts");
const use = document.getElementById("use-shortcuts");
const OFF = "shortcuts-off";
const rowNow = () => document.activeElement.closest(".lines tbody tr");
const focusName = (row) => row?.querySelector(".name-text").focus();
const actions = {
  j: () => focusName(rowNow() ? rowNow().nextElementSibling : list.querySelector("tbody tr")),
  k: () => focusName(rowNow()?.previousElementSibling),
  x: () => rowNow()?.querySelector(".choose input").click(),
  c: () => rowNow()?.querySelector("[name=category]").focus(),
  e: () => rowNow()?.querySelector(".name-text").click(),
  "/": () => document.getElementById("q").focus(),
  "?": () => {
    help.open = true;
    help.querySelector("summary").focus();
  },
};

if (help) {
  help.hidden = false;
  use.checked = localStorage.getItem(OFF) === null;
  use.addEventListener("change", () => {
    if (use.checked) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "yes");
  });
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    const isControl = target.closest("input, select, textarea, button, summary");
    if (!use.checked || isControl || event.ctrlKey || event.altKey || event.metaKey) return;
    if (!Object.hasOwn(actions, key)) return;
    event.preventDefault();
    actions[key]();
  });
}

// A rule: the records that its keyword matches are counted as it is written.
const rule = document.getElementById("rule");
let counting;

async function countMatches() {
  const body = new URLSearchParams(new FormData(rule));
  body.set("do", "check");
  const response = await fetch(rule.action, { method: "POST", body });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const newer = page.getElementById("matches");
  // Not the answer to an older keyword.
  if (newer && page.getElementById("keyword").value === rule.keyword.value)
    document.getElementById("matches").replaceChildren(...newer.childNodes);
}

rule?.keyword.addEventListener("input", () => {
  clearTimeout(counting);
  counting = setTimeout(countMatches, 250);
});
