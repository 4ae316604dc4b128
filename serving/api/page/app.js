// Begins here: who asks, which view is shown, in which language.

import { Problem, json, key } from "./api.js";
import { forgetTask, openTask, startAsk } from "./ask.js";
import { byId, show } from "./dom.js";
import { forgetDocuments, openDocuments, startDocuments } from "./documents.js";
import { forgetHistory, openHistory, startHistory } from "./history.js";
import { onLanguage, startLanguage, t } from "./i18n.js";
import { closePanel, startPanel } from "./panel.js";
import { onUnknownKey, tell, untell } from "./problem.js";

const VIEWS = ["sign-in", "ask", "documents", "history"];
const OPENS = new Map([["documents", openDocuments], ["history", openHistory]]);

const SENDABLE = /^[!-~]+$/; // a header takes no other characters, and no key has any

let view = null;

/** Whether this key, or none, is let in. Raises what else the server says. */
async function isKnown() {
  try {
    await json("GET", "/v1/tasks?limit=1");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status === 401) return false;
    if (error.name !== "Forbidden") throw error; // a key for other things than asking is one too
  }
  return true;
}

async function start() {
  try {
    if (await isKnown()) enter();
    else askForKey(key.get() === null ? null : "signIn.again");
  } catch (error) {
    tell(error);
    showSignIn(null); // the key is kept: it may hold when the server answers again
  }
}

function enter() {
  show(byId("nav"), true);
  show(byId("sign-out"), key.get() !== null);
  route();
}

/** Nothing of the one who was signed in stays on the page. */
function askForKey(why) {
  key.forget();
  for (const forget of [forgetTask, forgetHistory, forgetDocuments]) forget();
  showSignIn(why);
}

function showSignIn(why) {
  show(byId("nav"), false);
  show(byId("sign-out"), false);
  open("sign-in", false);
  byId("key").value = "";
  byId("key-note").dataset.t = why ?? "signIn.note";
  byId("key-note").textContent = t(byId("key-note").dataset.t);
  byId("key").focus();
}

async function signIn(event) {
  event.preventDefault();
  untell();
  const given = byId("key").value.trim();
  if (!SENDABLE.test(given)) {
    tell(new Problem(401, {}, null));
    return;
  }
  key.set(given);
  try {
    await json("GET", "/v1/tasks?limit=1");
  } catch (error) {
    if (error.name !== "Forbidden") {
      tell(error);
      key.forget();
      byId("key").focus();
      return;
    }
  }
  byId("key").value = "";
  enter();
}

function signOut() {
  untell();
  byId("ask").reset();
  history.replaceState(null, "", "#ask");
  askForKey(null);
}

function route() {
  if (byId("nav").hidden) return;
  const [name, id] = location.hash.slice(1).split("/");
  untell();
  const isFirst = view === null || view === "sign-in";
  open(name === "task" ? "ask" : OPENS.has(name) ? name : "ask", !isFirst);
  if (name === "task" && id) openTask(id);
  OPENS.get(name)?.();
}

function open(wanted, movesFocus) {
  view = wanted;
  closePanel();
  for (const each of VIEWS) show(byId(`view-${each}`), each === wanted);
  for (const link of byId("nav").querySelectorAll("a")) {
    if (link.hash === `#${wanted}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  name();
  if (movesFocus) byId(`${wanted}-title`).focus();
}

function name() {
  const title = view === null ? "" : byId(`${view}-title`).textContent;
  document.title = title ? `${title} · Knowledge Agent` : "Knowledge Agent";
}

onLanguage(name);
startAsk();
startDocuments();
startHistory();
startPanel();
startLanguage();
onUnknownKey(() => askForKey("signIn.again"));
byId("sign-in").addEventListener("submit", signIn);
byId("sign-out").addEventListener("click", signOut);
byId("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address names the view
  byId("main").focus();
});
addEventListener("hashchange", route);
start();
