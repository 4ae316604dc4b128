// The tenant's documents: list, add, delete.

import { Problem, json, mayPass, request, upload } from "./api.js";
import { byId, el, show } from "./dom.js";
import { pause } from "./events.js";
import { named, number, onLanguage, t } from "./i18n.js";
import { problemBox, tell, untell } from "./problem.js";

const POLL_MS = 700;
const MAX_LOST = 40; // answers in a row: about half a minute
const UNDER_WAY = ["waiting", "running"];
const GOOD = ["indexed", "updated", "renamed", "removed"];

let documents = null;
let next = null;
let job = null; // the last one that was followed
let following = null; // the AbortController of one that runs
let listing = new AbortController();

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

/** A job goes on without the page: what an earlier visit or another tab began is shown too. */
export async function openDocuments() {
  if ((await list()) && following === null) await follow(newestUnderWay);
}

export function forgetDocuments() {
  listing.abort();
  following?.abort();
  following = documents = next = job = null;
  byId("confirm").close("no");
  byId("upload").reset();
  byId("upload-status").replaceChildren();
  drawFree();
  draw();
}

/** Whether it could be had. */
async function list() {
  const page = await listed("");
  if (page === null) return false;
  documents = page.documents;
  next = page.next;
  draw();
  return true;
}

async function more() {
  const shown = documents.length;
  const page = await listed(`?after=${encodeURIComponent(next)}`);
  if (page === null) return;
  documents.push(...page.documents);
  next = page.next;
  draw();
  byId("documents-list").querySelectorAll("tbody button")[shown]?.focus();
}

/** Null where it failed, or where another list is wanted by now. */
async function listed(query) {
  listing.abort();
  listing = new AbortController();
  const { signal } = listing;
  try {
    return await json("GET", `/v1/documents${query}`, { signal });
  } catch (error) {
    if (!signal.aborted) tell(error);
    return null;
  }
}

async function send() {
  untell();
  byId("upload-submit").disabled = true;
  byId("upload-status").replaceChildren();
  drawProgress("upload.sending", 0);
  await follow(async (signal) => {
    const drawShare = (share) => drawProgress("upload.sending", share);
    const sent = await upload("/v1/documents", byId("files").files, drawShare, signal);
    byId("upload").reset();
    return sent.job;
  });
}

async function newest(signal) {
  return (await json("GET", "/v1/jobs?limit=1", { signal })).jobs[0] ?? null;
}

async function newestUnderWay(signal) {
  const found = await newest(signal);
  return UNDER_WAY.includes(found?.status) ? found : null;
}

/** The job that `begin` gives, if any, to its end. */
async function follow(begin) {
  following?.abort();
  const own = new AbortController();
  following = own;
  try {
    const begun = await begin(own.signal);
    if (begun === null) return;
    job = begun;
    byId("upload-status").replaceChildren();
    await watchJob(own.signal);
    await list();
  } catch (error) {
    if (!own.signal.aborted) tell(error);
  } finally {
    if (following === own) {
      following = null;
      drawFree();
    }
  }
}

/** One whose server stops is taken over by another. */
async function watchJob(signal) {
  for (let lost = 0; UNDER_WAY.includes(job.status); ) {
    const { phase, done, total } = job.progress ?? {};
    drawProgress(phase ? `upload.${phase}` : "upload.waiting", total ? done / total : null);
    await pause(POLL_MS, signal);
    try {
      job = await json("GET", `/v1/jobs/${encodeURIComponent(job.id)}`, { signal });
      if (job.status === "interrupted") job = await newest(signal);
      lost = 0;
    } catch (error) {
      lost += 1;
      if (signal.aborted || !mayPass(error) || lost === MAX_LOST) throw error;
    }
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

/** No job is followed. */
function drawFree() {
  show(byId("uploading"), false);
  byId("upload-submit").disabled = false;
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
  (button.isConnected ? button : byId("documents-title")).focus(); // the list may be drawn anew
  if (dialog.returnValue !== "yes") return;
  untell();
  try {
    await request("DELETE", `/v1/documents/${encodeURIComponent(document.id)}`);
  } catch (error) {
    tell(error);
    return;
  }
  if (documents === null) return; // signed out meanwhile
  if (following === null) job = null;
  byId("upload-status").replaceChildren(t("documents.deleted", { name: document.name }));
  await list();
  byId("documents-title").focus();
}
