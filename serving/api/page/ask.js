// Ask, watch, cancel: the view of one task.

import { Unreachable, json } from "./api.js";
import { outcome, shownStatus, statusLine } from "./answer.js";
import { byId, show } from "./dom.js";
import { follow, pause } from "./events.js";
import { named, onLanguage, t } from "./i18n.js";
import { draftsView, planView } from "./plan.js";
import { tell, untell } from "./problem.js";
import { editable, reviewView } from "./review.js";
import { newTask, settle, take } from "./task.js";
import { usageView } from "./waterfall.js";

/** A task that does not end with its connection can be taken up again, in another tab too. */
const IN_BACKGROUND = { Prefer: "respond-async" };
const RETRIES = 2;
const RETRY_MS = 1_000;

let task = null;
let thread = null; // every question begins one, or a follow-up would have nothing to follow
let following = new AbortController();

export function startAsk() {
  byId("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  byId("question").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      byId("ask").requestSubmit();
    }
  });
  byId("cancel").addEventListener("click", cancel);
  onLanguage(drawAll);
}

async function ask() {
  const question = byId("question").value;
  if (byId("submit").disabled || !question.trim()) return;
  begin(newTask(question));
  const { signal } = following;
  try {
    const body = { question, mode: byId("mode").value, thread };
    if (byId("review").checked) body.review = "plan";
    if (thread === null || !byId("follow-up").checked) {
      body.thread = (await json("POST", "/v1/threads", { signal })).id;
    }
    task.id = (await started(body, signal)).id;
    thread = body.thread; // not before: a question that is refused is none to follow up
  } catch (error) {
    if (!signal.aborted) fail(error);
    return;
  }
  history.replaceState(null, "", `#task/${task.id}`);
  await watch();
}

/** Asked again where no answer came: with the same key it is the same task. */
async function started(body, signal) {
  const headers = { ...IN_BACKGROUND, "Idempotency-Key": freshKey() };
  for (let left = RETRIES; ; left -= 1) {
    try {
      return await json("POST", "/v1/tasks", { body, headers, signal });
    } catch (error) {
      if (left === 0 || !(error instanceof Unreachable)) throw error;
      await pause(RETRY_MS, signal);
    }
  }
}

/** Show a task that was asked before; one that still runs is followed. */
export async function openTask(id) {
  if (task?.id === id && !task.isLost) return;
  begin(newTask(""));
  const { signal } = following;
  try {
    const kept = await json("GET", `/v1/tasks/${encodeURIComponent(id)}`, { signal });
    task.id = id;
    task.question = kept.question;
    thread = kept.thread ?? null;
    drawAll();
  } catch (error) {
    if (!signal.aborted) fail(error);
    return;
  }
  await watch();
}

/** Nobody's task is shown any more. */
export function forgetTask() {
  following.abort();
  task = thread = null;
  byId("progress").textContent = "";
  drawAll();
}

function begin(fresh) {
  untell();
  following.abort();
  following = new AbortController();
  task = fresh;
  drawAll();
}

function fail(error) {
  task = null;
  drawAll();
  byId("progress").textContent = "";
  tell(error);
}

/** Follows the events to the end, then takes the task as the server keeps it. */
async function watch() {
  const { signal } = following;
  task.status = "running";
  drawAll();
  try {
    for await (const event of follow(task.id, task.lastEvent, signal)) {
      if (signal.aborted) return; // another task is shown by now
      take(task, event);
      draw(event.type);
    }
    const kept = await json("GET", `/v1/tasks/${task.id}`, { signal });
    settle(task, kept);
    drawEnd();
  } catch (error) {
    if (signal.aborted) return;
    task.isLost = true;
    drawControls();
    drawProgress();
    tell(error);
  }
}

async function cancel() {
  const own = task; // another may be shown when the answer comes
  byId("cancel").disabled = true;
  byId("progress").textContent = t("progress.cancelling");
  const wasWaiting = own.status === "awaiting_review"; // then no event tells of the end
  try {
    settle(own, await json("DELETE", `/v1/tasks/${own.id}`));
    if (wasWaiting && task === own) drawEnd();
  } catch (error) {
    if (task === own) {
      drawControls();
      drawProgress();
    }
    tell(error);
  }
}

async function approve(plan) {
  const own = task;
  if (own.isApproving) return;
  own.isApproving = true;
  untell();
  try {
    await json("POST", `/v1/tasks/${own.id}/plan`, { body: { plan }, headers: IN_BACKGROUND });
  } catch (error) {
    if (task !== own) return;
    if (error.status === 409) {
      own.isLost = true; // it was approved or cancelled elsewhere, so what is shown does not hold
      openTask(own.id);
    }
    tell(error);
    return;
  } finally {
    own.isApproving = false;
  }
  if (task !== own) return;
  byId("review-plan").replaceChildren();
  await watch();
}

const PARTS = ["task-status", "outcome", "review-plan", "drafts", "plan", "usage"];
const DRAWN = {
  token: [drawDrafts],
  plan: [drawPlan],
  step: [drawPlan, drawDrafts],
  failure: [drawPlan, drawDrafts],
  answer: [drawStatus, drawPlan, drawDrafts, drawOutcome],
  refusal: [drawStatus, drawPlan, drawDrafts, drawOutcome],
};

function draw(type) {
  for (const part of DRAWN[type] ?? []) part();
  drawProgress();
}

function drawAll() {
  show(byId("task"), task !== null);
  drawControls();
  byId("task-title").textContent = task?.question ?? "";
  if (task === null) {
    for (const part of PARTS) byId(part).replaceChildren();
    return;
  }
  drawProgress();
  drawStatus();
  drawDrafts();
  drawPlan();
  drawOutcome();
  drawReview();
  byId("usage").replaceChildren(...usageView(task.usage));
}

function drawEnd() {
  const wasNear = ["submit", "cancel", "question", "task-title"].includes(document.activeElement.id);
  const isFree = wasNear || document.activeElement === document.body;
  drawAll();
  const place = byId("review-title") ?? byId("outcome-title");
  if (isFree && !byId("panel").open) place?.focus();
}

function drawControls() {
  const status = task?.status;
  show(byId("cancel"), ["running", "awaiting_review"].includes(status) && task.id !== null);
  byId("cancel").disabled = false;
  byId("submit").disabled = status === "running" && !task.isLost;
}

/** Said aloud by screen readers, so it changes with what happens and not with every piece. */
function drawProgress() {
  const [key, values] = saysOf(task);
  const said = task.status === "running" ? t(key, values) : named(`status.${shownStatus(task)}`, "");
  if (byId("progress").textContent !== said) byId("progress").textContent = said;
}

function saysOf({ isLost, isBroken, says }) {
  if (isLost) return ["progress.lost", {}];
  return isBroken ? ["progress.broken", {}] : says;
}

function drawStatus() {
  byId("task-status").replaceChildren(statusLine(shownStatus(task)));
}

function drawDrafts() {
  byId("drafts").replaceChildren(...draftsView(task));
}

function drawPlan() {
  byId("plan").replaceChildren(...planView(task));
}

function drawOutcome() {
  byId("outcome").replaceChildren(...outcome(task));
}

function drawReview() {
  const isAwaited = task.status === "awaiting_review";
  if (isAwaited) task.edited ??= editable(task.plan.plan); // kept when the language is switched
  byId("review-plan").replaceChildren(...(isAwaited ? reviewView(task.edited, approve) : []));
}

/** `crypto.randomUUID` is only there over HTTPS and on this machine. */
function freshKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
