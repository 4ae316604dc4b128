// A plan that waits for a person: change its steps, then run it.

import { el } from "./dom.js";
import { t } from "./i18n.js";
import { about, actionName } from "./plan.js";

const ACTIONS = ["answer", "summarize", "analyze", "retrieve", "personalize"];
const MAX_STEPS = 5;
const MAX_FOCUS = 200;

/** The steps of a plan, to be changed by `reviewView`. */
export function editable(plan) {
  return plan.steps.map((step) => ({ action: step.action, text: about(step), after: [...step.after] }));
}

/** `approve` is called with the plan as it was left. */
export function reviewView(steps, approve) {
  const form = el("form", { class: "review", "aria-labelledby": "review-title" });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    approve({ steps: steps.map(written) });
  });
  const draw = (focused) => {
    form.replaceChildren(
      ...steps.map((step, index) => stepFields(steps, step, index + 1, draw)),
      el(
        "div",
        { class: "row" },
        el("button", { type: "submit" }, t("review.approve")),
        el(
          "button",
          {
            type: "button",
            class: "quiet",
            disabled: steps.length === MAX_STEPS,
            on: {
              click: () => {
                steps.push({ action: "answer", text: "", after: [] });
                draw(steps.length);
              },
            },
          },
          t("review.add"),
        ),
      ),
    );
    form.querySelector(`#focus-${focused}`)?.focus();
  };
  draw();
  return [el("h4", { id: "review-title", tabindex: "-1" }, t("review.title")), form];
}

function written({ action, text, after }) {
  return { action, after, ...(action === "retrieve" ? { query: text } : { focus: text }) };
}

function stepFields(steps, step, number, draw) {
  return el(
    "fieldset",
    {},
    el("legend", {}, t("step", { n: number })),
    el("label", { for: `action-${number}` }, t("review.action", { n: number })),
    el(
      "select",
      { id: `action-${number}`, on: { change: (event) => (step.action = event.target.value) } },
      ...ACTIONS.map((each) => el("option", { value: each, selected: each === step.action }, actionName(each))),
    ),
    el("label", { for: `focus-${number}` }, t("review.focus", { n: number })),
    el("input", {
      id: `focus-${number}`,
      value: step.text,
      required: true,
      maxlength: MAX_FOCUS,
      on: { input: (event) => (step.text = event.target.value) },
    }),
    number > 1 ? reads(step, number) : null,
    el(
      "button",
      {
        type: "button",
        class: "quiet",
        disabled: steps.length === 1,
        on: {
          click: () => {
            remove(steps, number);
            draw(Math.min(number, steps.length));
          },
        },
      },
      t("review.remove", { n: number }),
    ),
  );
}

function reads(step, number) {
  const others = Array.from({ length: number - 1 }, (_, index) => index + 1);
  const toggle = (other, isOn) => {
    step.after = others.filter((each) => (each === other ? isOn : step.after.includes(each)));
  };
  return el(
    "div",
    { class: "row", role: "group", "aria-label": t("review.after", { n: number }) },
    el("span", { class: "note" }, t("review.after", { n: number })),
    ...others.map((other) =>
      el(
        "label",
        { class: "check" },
        el("input", {
          type: "checkbox",
          checked: step.after.includes(other),
          on: { change: (event) => toggle(other, event.target.checked) },
        }),
        ` ${other}`,
      ),
    ),
  );
}

/** Later steps keep reading the same ones, by their new numbers. */
function remove(steps, number) {
  steps.splice(number - 1, 1);
  for (const step of steps) {
    step.after = step.after
      .filter((each) => each !== number)
      .map((each) => (each > number ? each - 1 : each));
  }
}
