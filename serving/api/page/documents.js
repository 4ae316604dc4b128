// The tenant's documents: list, add, delete.

import { Problem, json, request, upload } from "./api.js";
import { byId, el, show } from "./dom.js";
import { pause } from "./events.js";
import { named, number, onLanguage, t } from "./i18n.js";
import { problemBox, tell, untell } from "./problem.js";

const POLL_MS = 700;
const UNDER_WAY = ["waiting", "running"];
const GOOD = ["indexed", "updated", "renamed", "removed"];

let documents = null;
let next = null;
let job = null; // the last upload's
let looking = new AbortController();

export function startDocuments() {
  byId("upload").addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  byId("confirm-no").addEventListener("click", () => byId("confirm").close("no"));
  byId("confirm-yes").addEventListener("click", () => byId("confirm").close("yes"));
  onLanguage(() => {
    draw();
    drawJob();
  });
}

export async function openDocuments() {
  try {
    const page = await json("GET", "/v1/documents");
    documents = page.documents;
    next = page.next;
  } catch (error) {
    tell(error);
    return;
  }
  draw();
}

export function forgetDocuments() {
  looking.abort();
  documents = next = job = null;
  show(byId("uploading"), false);
  byId("upload").reset();
  byId("upload-submit").disabled = false;
  byId("upload-status").replaceChildren();
  draw();
}

async function more() {
  const shown = documents.length;
  try {
    const page = await json("GET", `/v1/documents?after=${encodeURIComponent(next)}`);
    documents.push(...page.documents);
    next = page.next;
  } catch (error) {
    tell(error);
    return;
  }
  draw();
  byId("documents-list").querySelectorAll("tbody button")[shown]?.focus();
}

async function send() {
  untell();
  looking.abort();
  looking = new AbortController();
  const { signal } = looking;
  byId("upload-submit").disabled = true;
  byId("upload-status").replaceChildren();
  drawProgress("upload.sending", 0);
  try {
    const sent = await upload("/v1/documents", byId("files").files, (share) => {
      drawProgress("upload.sending", share);
    });
    job = sent.job;
    byId("upload").reset();
    await watchJob(signal);
    await openDocuments();
  } catch (error) {
    if (!signal.aborted) tell(error);
  } finally {
    if (!signal.aborted) {
      show(byId("uploading"), false);
      byId("upload-submit").disabled = false;
    }
  }
}

async function watchJob(signal) {
  while (UNDER_WAY.includes(job.status)) {
    const { phase, done, total } = job.progress ?? {};
    drawProgress(phase ? `upload.${phase}` : "upload.waiting", total ? done / total : null);
    await pause(POLL_MS, signal);
    job = await json("GET", `/v1/jobs/${encodeURIComponent(job.id)}`, { signal });
  }
  drawJob();
}

/** How the last upload ended, and which of its files cannot be read. */
function drawJob() {
  if (job === null || UNDER_WAY.includes(job.status)) return;
  const unread = (job.report?.files ?? []).filter((file) => !GOOD.includes(file.status));
  byId("upload-status").replaceChildren(
    el("p", {}, t(job.status === "done" ? "upload.done" : "upload.failed")),
    el("ul", {}, ...unread.map((file) => el("li", {}, `${file.name}: ${statusOf(file)}`))),
    job.error ? problemBox(new Problem(job.error.status, job.error, null)) : "",
  );
}

function statusOf({ status, reason }) {
  const name = named(`document.${status}`, status);
  return reason ? `${name} (${reason})` : name;
}

/** `share` from 0 to 1; null: how much is left is not known. */
function drawProgress(key, share) {
  show(byId("uploading"), true);
  byId("upload-phase").textContent = t(key);
  const bar = byId("upload-progress");
  if (share === null) bar.removeAttribute("value");
  else bar.value = share;
}

function draw() {
  const place = byId("documents-list");
  if (documents === null) return place.replaceChildren();
  if (!documents.length) return place.replaceChildren(el("p", {}, t("documents.none")));
  const head = ["name", "pages", "status", "action"].map((each) =>
    el("th", { scope: "col" }, t(`documents.${each}`)),
  );
  place.replaceChildren(
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-labelledby": "documents-title" },
      el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...documents.map(row))),
    ),
    next === null ? "" : el("button", { type: "button", on: { click: more } }, t("documents.more")),
  );
}

function row(document) {
  const { name, title, pages } = document;
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, name, title && title !== name ? el("div", { class: "note" }, title) : ""),
    el("td", {}, pages === null ? "" : number(pages)),
    el("td", {}, statusOf(document)),
    el(
      "td",
      {},
      el(
        "button",
        {
          type: "button",
          class: "danger",
          "aria-label": t("documents.delete", { name }),
          on: { click: (event) => remove(document, event.currentTarget) },
        },
        t("documents.deleteShort"),
      ),
    ),
  );
}

/** The safe choice has the focus, and Escape takes it too. */
async function remove(document, button) {
  const dialog = byId("confirm");
  dialog.returnValue = "no";
  byId("confirm-text").textContent = t("delete.text", { name: document.name });
  dialog.showModal();
  byId("confirm-no").focus();
  await new Promise((closed) => dialog.addEventListener("close", closed, { once: true }));
  button.focus();
  if (dialog.returnValue !== "yes") return;
  untell();
  try {
    await request("DELETE", `/v1/documents/${encodeURIComponent(document.id)}`);
  } catch (error) {
    tell(error);
    return;
  }
  job = null;
  byId("upload-status").replaceChildren(t("documents.deleted", { name: document.name }));
  await openDocuments();
  byId("documents-title").focus();
}
