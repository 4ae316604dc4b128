// The language of the page; texts of documents and answers keep their own.

import { STRINGS } from "./strings.js";

const STORED = "knowledge-agent.language";
const WAITS = [["day", 86_400], ["hour", 3_600], ["minute", 60]];
const listeners = [];
let language = "en";

/** A text with its {values}; keys are the same in every language. */
export function t(key, values = {}) {
  const text = STRINGS[language][key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** As `t`, or `otherwise` where there is no such text: for names that the server gives. */
export function named(key, otherwise) {
  return key in STRINGS[language] ? t(key) : otherwise;
}

export function number(value, digits = 0) {
  return value.toLocaleString(language, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export function seconds(value) {
  if (value < 0.1) return t("milliseconds", { n: number(1000 * value) });
  return t("seconds", { n: number(value, value < 10 ? 2 : 1) });
}

/** A time to wait, in words: `43 minutes`. */
export function wait(valueS) {
  const [unit, unitS] = WAITS.find(([, each]) => valueS >= 2 * each) ?? ["second", 1];
  const format = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" });
  return format.format(Math.ceil(valueS / unitS));
}

export function moment(iso) {
  return new Date(iso).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
}

/** Called after every change, to draw anew what holds texts. */
export function onLanguage(listener) {
  listeners.push(listener);
}

export function startLanguage() {
  const wanted = localStorage.getItem(STORED) ?? navigator.language.slice(0, 2);
  for (const each of Object.keys(STRINGS)) {
    document.getElementById(`lang-${each}`).addEventListener("click", () => {
      localStorage.setItem(STORED, each);
      setLanguage(each);
    });
  }
  setLanguage(wanted in STRINGS ? wanted : "en");
}

function setLanguage(wanted) {
  language = wanted;
  document.documentElement.lang = wanted;
  for (const each of Object.keys(STRINGS)) {
    document.getElementById(`lang-${each}`).setAttribute("aria-pressed", String(each === wanted));
  }
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of document.querySelectorAll("[data-t-label]")) {
    node.setAttribute("aria-label", t(node.dataset.tLabel));
  }
  for (const listener of listeners) listener();
}
