// How a task ended: the answer with its sources, a refusal, a failure.

import { Problem } from "./api.js";
import { el } from "./dom.js";
import { named, number, t } from "./i18n.js";
import { openCitation } from "./panel.js";
import { problemBox } from "./problem.js";
import { isDegraded } from "./task.js";

const SIGNS = {
  running: "…", answered: "✓", degraded: "!", refused: "⊘", failed: "✖", cancelled: "■",
  interrupted: "■", awaiting_review: "?",
};

export function statusLine(status) {
  return el(
    "span",
    { class: `badge ${status}` },
    el("span", { "aria-hidden": "true" }, `${SIGNS[status] ?? ""} `),
    named(`status.${status}`, status),
  );
}

export function shownStatus(task) {
  return isDegraded(task) ? "degraded" : task.status;
}

/** The parts that tell the outcome; none while the task runs. */
export function outcome(task) {
  if (task.answer) return answered(task);
  if (task.refusal) return refused(task.refusal);
  if (task.status === "failed") return [title("status.failed"), failure(task.error)];
  if (task.status === "cancelled") {
    return [title("status.cancelled"), el("p", {}, named(`cancelled.${task.cancelled}`, ""))];
  }
  if (task.status === "interrupted") {
    return [title("status.interrupted"), el("p", {}, t("interrupted"))];
  }
  return [];
}

function title(key) {
  return el("h4", { id: "outcome-title", tabindex: "-1" }, t(key));
}

function answered(task) {
  const { answer } = task;
  const cited = new Map(answer.citations.map((citation) => [citation.number, citation]));
  const paragraphs = [];
  let step = null;
  for (const sentence of answer.sentences) {
    if (sentence.step !== step) {
      paragraphs.push(el("p", {}));
      step = sentence.step;
    }
    paragraphs.at(-1).append(written(sentence, cited, task), " ");
  }
  return [
    title("answer.title"),
    task.understood && task.understood !== task.question
      ? el("p", { class: "note" }, t("answer.understood", { query: task.understood }))
      : null,
    el("div", { class: "answer", lang: answer.language }, ...paragraphs),
    degradations(answer),
    el("h5", {}, t("answer.sources")),
    el("ol", { class: "sources" }, ...answer.citations.map((citation) => source(citation, task))),
    withheld(answer),
  ].filter(Boolean);
}

function written(sentence, cited, task) {
  const support = sentence.quoted
    ? t("answer.quoted")
    : t("answer.support", { n: number(sentence.support, 2) });
  return el(
    "span",
    { class: "sentence" },
    sentence.text,
    ...sentence.citations.flatMap((each) => [" ", citationButton(cited.get(each), task)]),
    " ",
    el("small", { class: "support", lang: document.documentElement.lang }, support),
  );
}

function sourceName(citation) {
  const { number: n, title: document, page } = citation;
  return t("answer.source", { n, document, page });
}

function citationButton(citation, task) {
  return el(
    "button",
    {
      type: "button",
      class: "citation",
      "aria-label": sourceName(citation),
      on: { click: () => openCitation(citation, task.passages) },
    },
    `[${citation.number}]`,
  );
}

function source(citation, task) {
  return el(
    "li",
    { value: citation.number },
    el(
      "button",
      { type: "button", class: "link", on: { click: () => openCitation(citation, task.passages) } },
      `${citation.document}, ${t("page", { n: citation.page })}`,
    ),
  );
}

function degradations({ degraded, language }) {
  if (!degraded.length) return null;
  return el(
    "div",
    { class: "box warn" },
    el("p", {}, el("span", { "aria-hidden": "true" }, "! "), el("strong", {}, t("answer.degraded"))),
    el("ul", {}, ...degraded.map(({ what, why }) => el("li", { lang: language }, `${what}: ${why}`))),
  );
}

function withheld({ removed, language }) {
  if (!removed?.length) return null;
  return el(
    "details",
    {},
    el("summary", {}, t("answer.removed", { n: removed.length })),
    el(
      "ul",
      { lang: language },
      ...removed.map(({ text, reason }) => el("li", {}, el("del", {}, text), ` (${reason})`)),
    ),
  );
}

function refused(refusal) {
  const near = refusal.nearest.map(({ title: name, document }) => el("li", {}, `${name} (${document})`));
  return [
    title("refusal.title"),
    el(
      "div",
      { class: "box refusal" },
      el("p", {}, el("strong", {}, named(`refusal.${refusal.reason}`, refusal.reason))),
      el("p", { lang: refusal.language }, refusal.message),
    ),
    degradations(refusal),
    ...(near.length ? [el("h5", {}, t("refusal.nearest")), el("ul", {}, ...near)] : []),
    withheld(refusal),
  ].filter(Boolean);
}

function failure(error) {
  return problemBox(new Problem(error?.status ?? 0, error ?? {}, null), error?.type);
}
