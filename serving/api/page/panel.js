// The side panel: a document at its page, with the cited passage marked.

import { Problem, json, request } from "./api.js";
import { byId, el } from "./dom.js";
import { onLanguage, t } from "./i18n.js";
import { problemBox } from "./problem.js";

const NARROW = matchMedia("(max-width: 60rem)");

let opener = null;
let shown = null; // {citation, passages, document, page}
let loading = new AbortController();
let imageUrl = null;

export function startPanel() {
  const panel = byId("panel");
  byId("panel-close").addEventListener("click", () => panel.close());
  panel.addEventListener("close", closed);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && panel.open && !byId("confirm").open) panel.close();
  });
  onLanguage(() => shown?.content && draw());
}

/** `passages` by id stand in for a document that the server does not keep. */
export async function openCitation(citation, passages) {
  const panel = byId("panel");
  if (!panel.contains(document.activeElement)) opener = document.activeElement;
  shown = { citation, passages, document: null, page: citation.page, content: null };
  byId("panel-title").textContent = citation.title;
  if (!panel.open) NARROW.matches ? panel.showModal() : panel.show();
  byId("panel-title").focus();
  await load(async (signal) => {
    const name = encodeURIComponent(citation.document);
    const { documents } = await json("GET", `/v1/documents?name=${name}`, { signal });
    if (!documents.length) throw new Problem(404, {}, null);
    shown.document = documents[0];
    return readPage(signal);
  });
}

export function closePanel() {
  byId("panel").close();
}

function closed() {
  loading.abort();
  forgetImage();
  shown = null;
  byId("panel-body").replaceChildren();
  if (opener?.isConnected) opener.focus();
  else if (!document.activeElement.checkVisibility() || document.activeElement === document.body) {
    byId("main").focus(); // the answer was drawn anew, and its button is gone
  }
  opener = null;
}

async function turn(page) {
  shown.page = page;
  await load(readPage);
  byId("panel-title").focus();
}

async function load(read) {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  byId("panel-body").replaceChildren(el("p", { role: "status" }, t("panel.loading")));
  try {
    shown.content = await read(signal);
  } catch (error) {
    if (signal.aborted) return;
    shown.content = { error };
  }
  if (!signal.aborted) draw();
}

async function readPage(signal) {
  const { citation, document, page } = shown;
  const marks = page === citation.page ? `?start=${citation.start}&end=${citation.end}` : "";
  const found = await json("GET", `/v1/documents/${encodeURIComponent(document.id)}/pages/${page}${marks}`, { signal });
  forgetImage();
  if (found.image) {
    try {
      const response = await request("GET", found.image, { signal });
      imageUrl = URL.createObjectURL(await response.blob());
    } catch (error) {
      if (signal.aborted) throw error; // without its picture a page can still be read
    }
  }
  return found;
}

function forgetImage() {
  if (imageUrl !== null) URL.revokeObjectURL(imageUrl);
  imageUrl = null;
}

function draw() {
  const { content, citation, passages } = shown;
  const parts = content.error
    ? passageInstead(content.error, citation, passages.get(citation.passage_id))
    : pageView(content);
  byId("panel-body").replaceChildren(...parts);
  byId("panel-body").querySelector(".mark-box, mark")?.scrollIntoView({ block: "center" });
}

function passageInstead(error, citation, passage) {
  const isMissing = error instanceof Problem && error.status === 404;
  const where = el("p", {}, `${citation.document}, ${t("page", { n: citation.page })}`);
  const why = isMissing ? "" : problemBox(error);
  if (!passage) return [where, why, el("p", { class: "note" }, t("panel.nothing"))];
  return [
    where,
    why,
    el("p", { class: "note" }, t("panel.missing")),
    passage.heading.length ? el("p", { class: "note" }, passage.heading.join(" › ")) : "",
    el("p", { class: "page-text" }, el("mark", {}, passage.text)),
  ];
}

function pageView({ page, pages, text, marked, boxes }) {
  return [
    el("p", { class: "note" }, shown.document.name),
    el(
      "div",
      { class: "row" },
      turner("panel.previous", page - 1, page > 1),
      el("span", { role: "status" }, t("panel.page", { page, pages })),
      turner("panel.next", page + 1, page < pages),
    ),
    imageUrl === null ? "" : imageView(page, boxes ?? []),
    el("h3", {}, t("panel.text")),
    el("p", { class: "page-text" }, ...markedText(text, marked)),
  ];
}

function turner(key, page, isThere) {
  return el("button", { type: "button", class: "quiet", disabled: !isThere, on: { click: () => turn(page) } }, t(key));
}

function imageView(page, boxes) {
  const frame = el(
    "div",
    { class: "page-image" },
    el("img", { src: imageUrl, alt: t("panel.image", { page }) }),
  );
  for (const { x, y, width, height } of boxes) {
    const box = el("div", { class: "mark-box", "aria-hidden": "true" });
    Object.assign(box.style, {
      left: `${100 * x}%`, top: `${100 * y}%`, width: `${100 * width}%`, height: `${100 * height}%`,
    });
    frame.append(box);
  }
  return frame;
}

/** Offsets count characters as the server does: code points, not UTF-16 units. */
function markedText(text, marked) {
  if (!marked) return [text];
  const characters = [...text];
  const part = (start, end) => characters.slice(start, end).join("");
  return [part(0, marked.start), el("mark", {}, part(marked.start, marked.end)), part(marked.end)];
}
