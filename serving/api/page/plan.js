// The plan with the state of its steps, what failed on the way, and the drafts.

import { el } from "./dom.js";
import { named, seconds, t } from "./i18n.js";
import { stepState } from "./task.js";

const SIGNS = { waiting: "○", running: "◔", done: "✓", failed: "✖", skipped: "–" };

export const actionName = (action) => named(`action.${action}`, action);
export const about = (step) => (step.action === "retrieve" ? step.query : step.focus);

export function planView(task) {
  const parts = [];
  if (task.plan) {
    const { plan, maker, reason } = task.plan;
    parts.push(
      el("h4", {}, t("plan.title")),
      el("p", { class: "note" }, named(`plan.${maker}`, maker), reason ? ` (${reason})` : ""),
      el("ol", { class: "steps" }, ...plan.steps.map((step, index) => stepView(task, step, index + 1))),
    );
  }
  if (task.failures.length) {
    parts.push(
      el("h4", {}, t("failures.title")),
      el("ul", { class: "failures" }, ...task.failures.map(failureView)),
    );
  }
  return parts;
}

function stepView(task, step, number) {
  const state = stepState(task, number);
  const result = task.steps.get(number);
  return el(
    "li",
    { class: `step ${state}` },
    el("strong", {}, actionName(step.action)),
    ": ",
    about(step),
    " ",
    el("span", { class: "note" }, step.after.length ? `${t("plan.after", { steps: step.after.join(", ") })}. ` : ""),
    el(
      "span",
      { class: "state" },
      el("span", { "aria-hidden": "true" }, `${SIGNS[state]} `),
      t(`step.${state}`),
      result?.seconds ? `, ${seconds(result.seconds)}` : "",
    ),
    result?.action === "retrieve" && !result.failure
      ? el("p", { class: "note" }, t("step.found", { n: result.passages.length }))
      : null,
    result?.failure ? el("p", { class: "note" }, result.failure) : null,
  );
}

function failureView({ node, step, message, fallback }) {
  const where = step ? `${node}, ${t("step", { n: step })}` : node;
  const then = fallback === node ? t("failure.again") : t("failure.fallback", { node: fallback });
  return el("li", {}, `${where}: ${message}; ${then}`);
}

export function draftsView(task) {
  if (!task.drafts.size) return [];
  return [
    el("h4", {}, t("drafts.title")),
    el("p", { class: "note" }, t("drafts.note")),
    ...[...task.drafts.values()].map(({ node, step, text }) =>
      el(
        "div",
        { class: "draft" },
        el("p", { class: "note" }, t("draft.of", { node }), step ? `, ${t("step", { n: step })}` : ""),
        el("p", {}, text),
      ),
    ),
  ];
}
