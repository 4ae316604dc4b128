// The tenant's tasks, the newest first.

import { json } from "./api.js";
import { shownStatus, statusLine } from "./answer.js";
import { byId, el, show } from "./dom.js";
import { moment, onLanguage, t } from "./i18n.js";
import { tell } from "./problem.js";

const PAGE_TASKS = 20;

let tasks = null;
let next = null;
let loading = new AbortController();

export function startHistory() {
  byId("history-more").addEventListener("click", more);
  onLanguage(draw);
}

export async function openHistory() {
  tasks = [];
  next = null;
  await more();
}

export function forgetHistory() {
  loading.abort();
  tasks = next = null;
  draw();
}

async function more() {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  const shown = tasks.length;
  const after = next === null ? "" : `&after=${encodeURIComponent(next)}`;
  try {
    const page = await json("GET", `/v1/tasks?limit=${PAGE_TASKS}${after}`, { signal });
    tasks.push(...page.tasks);
    next = page.next;
  } catch (error) {
    if (!signal.aborted) tell(error);
    return;
  }
  draw();
  if (shown) byId("history-list").querySelectorAll("a")[shown]?.focus();
}

function draw() {
  show(byId("history-more"), next !== null);
  byId("history-list").replaceChildren(
    ...(tasks === null ? [] : tasks.length ? [el("ul", { class: "tasks" }, ...tasks.map(line))] : [el("p", {}, t("history.none"))]),
  );
}

function line(task) {
  return el(
    "li",
    {},
    el("a", { href: `#task/${task.id}` }, task.question),
    " ",
    statusLine(shownStatus(task)),
    " ",
    el("time", { class: "note", datetime: task.created_at }, moment(task.created_at)),
  );
}
