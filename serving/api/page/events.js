// Server-sent events over fetch, since an EventSource can send no key.

import { Problem, Unreachable, mayPass, request } from "./api.js";

const SILENCE_MS = 30_000; // the server sends a sign of life every 10 s
const PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];

/** Events of a task from after number `after`, taken up again where the connection breaks;
 * `{type: "broken"}` and `{type: "joined"}` tell of that. They are over when the server closes after an `end` or a
 * `review`, which others may follow once a person has approved the plan. */
export async function* follow(taskId, after, signal) {
  let breaks = 0;
  for (;;) {
    let hasEnded = false;
    try {
      for await (const event of received(taskId, after, signal)) {
        if (event.type !== "joined") {
          after = event.id;
          breaks = 0;
          hasEnded = ["end", "review"].includes(event.type);
        }
        yield event;
      }
      if (hasEnded) return;
    } catch (error) {
      if (hasEnded) return;
      if (signal.aborted || !mayPass(error) || breaks === PAUSES_MS.length) throw error;
    }
    if (breaks === PAUSES_MS.length) throw new Unreachable();
    yield { type: "broken" };
    await pause(PAUSES_MS[breaks++], signal);
  }
}

async function* received(taskId, after, signal) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const response = await request("GET", `/v1/tasks/${taskId}/events`, {
      headers: { Accept: "text/event-stream", "Last-Event-ID": String(after) },
      signal: AbortSignal.any([signal, silence.signal]),
      timeoutMs: null,
    });
    yield { type: "joined" };
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new Parser();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      yield* parser.take(value);
    }
  } catch (error) {
    throw error instanceof Problem || signal.aborted ? error : new Unreachable();
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** Pieces of text to events; one that is cut off at the end is none. */
export class Parser {
  #rest = "";
  #fields = {};

  *take(text) {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop();
    for (const line of lines.map((each) => each.replace(/\r$/, ""))) {
      if (line === "") {
        if (this.#fields.data !== undefined) yield this.#event();
        this.#fields = {};
      } else if (!line.startsWith(":")) {
        const [, name, value] = line.match(/^([^:]*):? ?(.*)$/s); // a text may hold U+2028
        const before = name === "data" ? this.#fields.data : undefined;
        this.#fields[name] = before === undefined ? value : `${before}\n${value}`;
      }
    }
  }

  #event() {
    const { id, event, data } = this.#fields;
    return { id: Number(id), type: event, data: JSON.parse(data) };
  }
}

/** Raises where `signal` is aborted before or meanwhile. */
export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop); // a long job pauses thousands of times
      resolve();
    }, ms);
    signal.addEventListener("abort", stop);
  });
}
