// Tells what went wrong, in the page's language, with the server's own words about it.

import { Problem } from "./api.js";
import { byId, el } from "./dom.js";
import { named, t, wait } from "./i18n.js";

let leave = () => {};

/** `whenUnknown` is called where the key does not hold, or no more. */
export function onUnknownKey(whenUnknown) {
  leave = whenUnknown;
}

export function tell(error) {
  if (error?.name === "AbortError") return;
  byId("problem").replaceChildren(problemBox(error));
  if (error instanceof Problem && error.status === 401) leave();
  else if (!(error instanceof Problem)) console.error(error);
}

export function untell() {
  byId("problem").replaceChildren();
}

export function problemBox(error) {
  const status = error instanceof Problem ? error.status : 0;
  const title = named(`error.${status}`, t("error.other", { status }));
  return el(
    "div",
    { class: "box bad" },
    el("p", {}, el("span", { "aria-hidden": "true" }, "✖ "), el("strong", {}, title)),
    error.message ? el("p", { lang: "en" }, error.message) : null,
    error.retryAfterS ? el("p", {}, t("error.retryAfter", { n: wait(error.retryAfterS) })) : null,
  );
}
