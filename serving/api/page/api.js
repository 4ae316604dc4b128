// Requests to the service, with the key of this tab.

const STORED = "knowledge-agent.key";
const TIMEOUT_MS = 30_000;
const STALL_MS = 120_000;
const PASSING = [429, 502, 503, 504]; // a limit, a server that starts anew, or what stands before it

/** The server's problem document; `name` is its class of error. */
export class Problem extends Error {
  constructor(status, document, retryAfterS) {
    super(document.detail ?? "");
    this.status = status;
    this.name = (document.type ?? "").replace("urn:knowledge-agent:", "");
    this.retryAfterS = retryAfterS;
  }
}

/** No answer: the network, or the server is gone. */
export class Unreachable extends Error {}

/** Whether the same request may be answered in a moment. */
export function mayPass(error) {
  return error instanceof Unreachable || (error instanceof Problem && PASSING.includes(error.status));
}

export const key = {
  get: () => sessionStorage.getItem(STORED),
  set: (value) => sessionStorage.setItem(STORED, value),
  forget: () => sessionStorage.removeItem(STORED),
};

function authorization() {
  const held = key.get();
  return held === null ? {} : { Authorization: `Bearer ${held}` };
}

/** The response, where it is a good one. Raises `Problem` and `Unreachable`; a `signal` that is
 * aborted raises its reason. The key goes to this origin alone. */
export async function request(method, path, { body, headers = {}, signal, timeoutMs = TIMEOUT_MS } = {}) {
  const url = new URL(path, location.origin);
  if (url.origin !== location.origin) throw new Unreachable();
  const signals = [signal, timeoutMs === null ? null : AbortSignal.timeout(timeoutMs)].filter(Boolean);
  const sent = fetch(url, {
    method,
    headers: {
      ...authorization(),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.any(signals),
    cache: "no-store",
    credentials: "omit",
  });
  const response = await arrived(sent, signal);
  if (!response.ok) {
    const text = await arrived(response.text(), signal);
    throw problemOf(response.status, text, response.headers.get("Retry-After"));
  }
  return response;
}

export async function json(method, path, options = {}) {
  const response = await request(method, path, options);
  return arrived(response.json(), options.signal);
}

/** An answer that broke off half-way is none. */
async function arrived(coming, signal) {
  try {
    return await coming;
  } catch {
    if (signal?.aborted) throw signal.reason;
    throw new Unreachable();
  }
}

function problemOf(status, text, retryAfter) {
  let document = {};
  try {
    document = JSON.parse(text);
  } catch {
    // from something between here and the server
  }
  return new Problem(status, document, retryAfter === null ? null : Number(retryAfter));
}

/** Sends files; `onProgress` gets the share that has been sent, 0 to 1. */
export function upload(path, files, onProgress, signal) {
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    let timer = setTimeout(() => sending.abort(), STALL_MS);
    const moved = () => {
      clearTimeout(timer);
      timer = setTimeout(() => sending.abort(), STALL_MS);
    };
    sending.upload.addEventListener("progress", (event) => {
      moved();
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    });
    sending.addEventListener("loadend", () => clearTimeout(timer));
    for (const end of ["error", "abort"]) {
      sending.addEventListener(end, () => reject(signal.aborted ? signal.reason : new Unreachable()));
    }
    signal.addEventListener("abort", () => sending.abort());
    sending.addEventListener("load", () => {
      const isGood = sending.status >= 200 && sending.status < 300;
      if (isGood) resolve(arrived(new Response(sending.responseText).json(), signal));
      else reject(problemOf(sending.status, sending.responseText, sending.getResponseHeader("Retry-After")));
    });
    sending.open("POST", path);
    for (const [name, value] of Object.entries(authorization())) sending.setRequestHeader(name, value);
    sending.send(form);
  });
}
