// What a task took: nodes and model calls over time, as a picture and as a table.

import { el, svg } from "./dom.js";
import { named, number, seconds, t } from "./i18n.js";

const ROW_PX = 30;
const BAR_PX = 10;
const PAUSE_S = 10; // a task that runs never rests for so long

export function usageView(usage) {
  if (!usage) return [];
  const rows = rowsOf(usage);
  return [
    el("h4", {}, t("usage.title")),
    totals(usage),
    el("h5", { id: "waterfall-title" }, t("usage.waterfall")),
    el("p", { class: "note" }, t("usage.legend")),
    picture(rows, usage),
    table(rows, usage),
  ];
}

/** Nodes by their begin, each with its calls behind it; `start` counts from the task's begin. */
export function rowsOf({ nodes, calls }) {
  const clock = workingTime([...nodes, ...calls].filter((each) => each.started_s !== null));
  const timed = (each, kind) => ({
    ...each,
    kind,
    start: each.started_s === null ? null : clock(each.started_s),
  });
  const byStart = (a, b) => (a.start ?? Infinity) - (b.start ?? Infinity);
  const left = new Set(calls);
  const rows = [];
  for (const node of nodes.map((each) => timed(each, "node")).sort(byStart)) {
    rows.push(node);
    for (const call of calls) {
      const isIn = call.node === node.node && call.step === node.step && isWithin(call, node);
      if (isIn && left.delete(call)) rows.push(timed(call, "call"));
    }
  }
  for (const call of left) rows.push(timed(call, "call")); // of nodes that were broken off
  return rows;
}

/** Seconds of work until then: a pause in which a person looked at the plan does not count. */
function workingTime(spans) {
  const sorted = spans.toSorted((a, b) => a.started_s - b.started_s);
  const origin = sorted[0]?.started_s ?? 0;
  const pauses = []; // when each ended, and how long it was
  let end = origin;
  for (const { started_s: start, seconds: length } of sorted) {
    if (start - end > PAUSE_S) pauses.push([start, start - end]);
    end = Math.max(end, start + length);
  }
  return (time) => {
    const past = pauses.filter(([ended]) => time >= ended);
    return time - origin - past.reduce((sum, [, length]) => sum + length, 0);
  };
}

function isWithin(call, node) {
  return call.started_s === null || call.started_s <= node.started_s + node.seconds;
}

function nameOf(row) {
  const step = row.step ? `, ${t("step", { n: row.step })}` : "";
  return row.kind === "call" ? `${t("usage.call")} (${row.node}${step})` : `${row.node}${step}`;
}

/** Exact, as the server tells it; null where there is no price. */
function money(cost) {
  return cost ? `${cost.amount} ${cost.currency}` : null;
}

function totals(usage) {
  const figures = [
    ["usage.seconds", usage.seconds === null ? null : seconds(usage.seconds)],
    ["usage.calls", number(usage.model_calls)],
    ["usage.prompt", number(usage.prompt_tokens)],
    ["usage.cached", number(usage.cached_tokens)],
    ["usage.output", number(usage.output_tokens)],
    ["usage.cost", money(usage.cost)],
  ];
  return el(
    "dl",
    { class: "figures" },
    ...figures
      .filter(([, figure]) => figure !== null)
      .map(([key, figure]) => el("div", {}, el("dt", {}, t(key)), el("dd", {}, figure))),
  );
}

function picture(rows, usage) {
  const drawn = rows.filter((row) => row.start !== null);
  const total = Math.max(usage.seconds ?? 0, ...drawn.map((row) => row.start + row.seconds), 0.001);
  const percent = (value) => `${((100 * value) / total).toFixed(3)}%`;
  const bars = drawn.flatMap((row, index) => {
    const y = index * ROW_PX;
    const tokens =
      row.kind === "call"
        ? ` · ${number(row.prompt_tokens)} (${number(row.cached_tokens)}) → ${number(row.output_tokens)}`
        : "";
    const label = `${row.kind === "call" ? "↳ " : ""}${nameOf(row)} · ${seconds(row.seconds)}${tokens}`;
    return [
      svg("text", { x: 0, y: y + 13 }, label),
      svg("rect", { class: "track", x: 0, y: y + 17, width: "100%", height: BAR_PX }),
      svg("rect", {
        class: `bar ${row.kind}`,
        x: percent(row.start),
        y: y + 17,
        width: percent(Math.max(row.seconds, total / 500)),
        height: BAR_PX,
      }),
    ];
  });
  return svg(
    "svg",
    {
      class: "waterfall",
      role: "img",
      "aria-labelledby": "waterfall-title waterfall-description",
      height: Math.max(1, drawn.length) * ROW_PX,
    },
    svg(
      "desc",
      { id: "waterfall-description" },
      t("usage.describe", { n: drawn.length, total: seconds(total) }),
    ),
    ...bars,
  );
}

function table(rows, usage) {
  const isPriced = rows.some((row) => row.cost);
  const head = ["what", "start", "length", "prompt", "cached", "output", "outcome"];
  if (isPriced) head.push("cost");
  const width = head.length - 1;
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-labelledby": "waterfall-title" },
    el(
      "table",
      { class: "numbers" },
      el("thead", {}, el("tr", {}, ...head.map((each) => el("th", { scope: "col" }, t(`usage.${each}`))))),
      el("tbody", {}, ...rows.map((row) => cells(nameOf(row), rowValues(row), width))),
      el("tfoot", {}, cells(t("usage.total"), totalValues(usage), width)),
    ),
  );
}

function rowValues(row) {
  const isCall = row.kind === "call";
  const outcome = isCall ? named(`outcome.${row.outcome}`, row.outcome) : "";
  return [
    row.start === null ? "" : seconds(row.start),
    seconds(row.seconds),
    isCall ? number(row.prompt_tokens) : "",
    isCall ? number(row.cached_tokens) : "",
    isCall ? number(row.output_tokens) : "",
    row.estimated ? `${outcome}, ${t("usage.estimated")}` : outcome,
    money(row.cost) ?? "",
  ];
}

function totalValues(usage) {
  return [
    "",
    usage.seconds === null ? "" : seconds(usage.seconds),
    number(usage.prompt_tokens),
    number(usage.cached_tokens),
    number(usage.output_tokens),
    "",
    money(usage.cost) ?? "",
  ];
}

function cells(name, values, width) {
  const shown = values.slice(0, width).map((value) => el("td", {}, value));
  return el("tr", {}, el("th", { scope: "row" }, name), ...shown);
}
