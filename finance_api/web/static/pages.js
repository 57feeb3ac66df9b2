// Comfort for all pages where scripts run; they work without.
"use strict";

// The answer to a form: Back and Reload load the form's page, and send nothing again.
const { posted } = document.body.dataset;
if (posted) history.replaceState(null, "", posted);

const announcement = document.getElementById("announcement");

/** Copies to the clipboard; over plain HTTP, where there is none, selects the text. */
async function copy(element) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(element.textContent);
    return;
  }
  getSelection().selectAllChildren(element);
  if (!document.execCommand("copy")) throw new Error("refused");
}

// A form that is sent stays in the history, so that Back shows it as it was sent.
const ownForm = document.querySelector("main form.form:has([name=form-user])");
if (ownForm) {
  const sent = history.state?.sent;
  let isOther = false;
  for (const control of sent ? ownForm.elements : []) {
    const texts = sent[control.name] ?? [];
    const before = control.value;
    if (["checkbox", "radio"].includes(control.type)) control.checked = texts.includes(before);
    else if (texts.length && control.name !== "csrf_token") control.value = texts.shift();
    if (control.value === before) continue;
    isOther = true;
    control.closest("details")?.setAttribute("open", "");
  }
  // The page may have errors of what was sent before that.
  if (isOther) {
    for (const error of document.querySelectorAll("main .error, main .error-summary")) error.remove();
    for (const control of ownForm.elements) control.removeAttribute("aria-invalid");
  }
  ownForm.addEventListener("submit", () => {
    const texts = {};
    for (const [name, text] of new FormData(ownForm)) (texts[name] ??= []).push(text);
    history.replaceState({ sent: texts }, "");
  });
}

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

// While days and times are in UTC, the browser's time zone and region are proposed, unless refused.
const REFUSED = "utc-kept";
const proposal = document.querySelector("template#proposal")?.content.firstElementChild;
if (proposal && timeZone && timeZone !== "UTC" && localStorage.getItem(REFUSED) === null) {
  const { time_zone: zone, region } = proposal.elements;
  const names = new Intl.DisplayNames("en", { type: "language" });
  const [zoneName, regionName] = proposal.querySelectorAll("strong");
  zoneName.textContent = zone.value = timeZone;
  regionName.textContent = names.of(region.value);
  proposal.querySelector("[type=button]").addEventListener("click", () => {
    localStorage.setItem(REFUSED, "yes");
    proposal.remove();
  });
  document.getElementById("main").prepend(proposal);
}

// The browser's time zone, if another one is chosen.
const ownZone = document.getElementById("own-zone");
if (ownZone) {
  const zones = document.getElementById("time_zone");
  const isKnown = [...zones.options].some(({ value }) => value === timeZone);
  ownZone.hidden = !isKnown || zones.value === timeZone;
  ownZone.querySelector("strong").textContent = timeZone;
  ownZone.querySelector("button").addEventListener("click", () => {
    zones.value = timeZone;
    zones.focus();
    ownZone.hidden = true;
  });
}

function tell(button, text, sentence) {
  button.textContent = text;
  announcement.textContent = sentence;
  clearTimeout(button.timer);
  button.timer = setTimeout(() => {
    button.textContent = "Copy";
    announcement.textContent = "";
  }, 3000);
}

for (const button of document.querySelectorAll("button.copy")) {
  const element = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await copy(element);
      tell(button, "Copied", "Copied");
    } catch {
      getSelection().selectAllChildren(element);
      tell(button, "Selected", "Not copied. The text is selected: copy it with the keyboard.");
    }
  });
}

for (const line of document.querySelectorAll(".tick")) {
  line.hidden = false;
  line.addEventListener("click", ({ target }) => {
    if (!target.dataset.tick) return;
    for (const box of line.closest("fieldset").querySelectorAll("[type=checkbox]")) {
      box.checked = target.dataset.tick === "all";
    }
  });
}

/**
 * Writes ten-thousandths as the server does, with at least this number of decimals. The marks are in
 * the data of the form.
 */
function amountText(units, decimals, { point, group, lastGroup, otherGroups }) {
  const [whole, text] = amountParts(Math.abs(units), decimals);
  const places = new RegExp(`\\B(?=(\\d{${otherGroups}})*\\d{${lastGroup}}$)`, "g");
  return `${units < 0 ? "−" : ""}${whole.replace(places, group)}${text && point}${text}`;
}

/** Returns the digits before and after the decimal mark. */
function amountParts(units, decimals) {
  const digits = String(units).padStart(5, "0");
  return [digits.slice(0, -4), digits.slice(-4).replace(/0+$/, "").padEnd(decimals, "0")];
}

// After a form with faults, the list of faults has the focus.
document.querySelector(".error-summary")?.focus();

// A payee that was used before brings its category, unless another one was chosen. Any other payee has
// none.
const payee = document.querySelector("input[list=payee-list]");
payee?.addEventListener("input", () => {
  const options = [...payee.list.options];
  const folded = payee.value.toLowerCase();
  const known =
    options.find(({ value }) => value === payee.value) ??
    options.find(({ value }) => value.toLowerCase() === folded);
  const { categoryId } = payee.form;
  if (["", categoryId.dataset.brought].includes(categoryId.value))
    categoryId.value = categoryId.dataset.brought = known?.dataset.category ?? "";
});

// A page that shows progress reloads itself.
const waiting = document.querySelector("[data-reload-seconds]");
if (waiting) setTimeout(() => location.reload(), waiting.dataset.reloadSeconds * 1000);

// Files dropped anywhere on the page are sent like chosen ones.
const files = document.querySelector("input[type=file][multiple]");
if (files) {
  document.querySelector(".drop-hint").hidden = false;
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (!event.dataTransfer.files.length) return;
    files.files = event.dataTransfer.files;
    files.form.requestSubmit();
  });
}

// A picked colour is also shown as text.
for (const picker of document.querySelectorAll("input[type=color]")) {
  picker.addEventListener("input", () => {
    picker.previousElementSibling.value = picker.value;
  });
}

// While the amounts of parts are typed: what is left, which the last part takes until it is changed.
const split = document.querySelector("form[data-total]");
if (split) {
  const { currency, point, group } = split.dataset;
  const total = Number(split.dataset.total);
  const usual = Number(split.dataset.decimals);
  const amounts = [...split.querySelectorAll("input[name^=amount-]")];
  const last = amounts.at(-1);
  const status = document.getElementById("rest");
  const excess = document.createElement("p");
  excess.className = "error";
  const groups = group ? `\\d{1,3}(\\${group}\\d{2,3})+|` : "";
  const pattern = new RegExp(`^-?(${groups}\\d*)(\\${point}\\d{0,4})?$`);

  /** Returns ten-thousandths; 0 for an empty text, NaN for one that is no amount. */
  function unitsOf({ value }) {
    const text = value.trim().replace("−", "-");
    if (!pattern.test(text)) return NaN;
    return Math.round(Number(text.split(group).join("").replace(point, ".")) * 10_000);
  }

  function leftBy(inputs) {
    return inputs.reduce((left, input) => left - unitsOf(input), total);
  }

  const money = (units) => amountText(units, usual, split.dataset);

  /** Writes an amount for a field: with a 0 behind three decimals, which could also be thousands. */
  function fieldText(units) {
    const [whole, text] = amountParts(units, usual);
    return `${whole}${text && point}${text.length === 3 ? `${text}0` : text}`;
  }

  let takesRest = last.value === "";
  split.addEventListener("input", ({ target }) => {
    if (!amounts.includes(target)) return;
    if (target === last) takesRest = last.value === "";
    const rest = leftBy(amounts.slice(0, -1));
    if (takesRest && target !== last) last.value = rest > 0 ? fieldText(rest) : "";
    const left = leftBy(amounts);
    // The server's error was about what stood there before.
    document.getElementById(`${target.id}-error`)?.remove();
    excess.textContent = `${money(-left)} ${currency} too much.`;
    if (left < 0) target.before(excess);
    else excess.remove();
    const more = left < 0 ? excess.textContent : `${money(left)} ${currency} left.`;
    const said = left ? more : "Nothing is left.";
    status.textContent = Number.isNaN(left) ? "" : `${money(total)} ${currency} in all. ${said}`;
  });
  if (history.state?.sent) last.dispatchEvent(new Event("input", { bubbles: true }));
}
