// What the events of a task add up to, in the shape that GET /v1/tasks/{id} gives it.

export function newTask(question) {
  return {
    id: null, question, status: "running", plan: null, understood: null,
    answer: null, refusal: null, error: null, cancelled: null, usage: null,
    failures: [],
    steps: new Map(), // by number: what each gave
    drafts: new Map(), // by node and step: a text that nobody has checked
    passages: new Map(), // by id
    edited: null, // the steps of a plan that is being changed
    isApproving: false, // its plan is on its way
    lastEvent: 0,
    isBroken: false, // the connection; it is being taken up again
    isLost: false, // nobody follows its events any more
    says: ["progress.sent", {}], // what the progress line tells
  };
}

/** The ended task as the server keeps it goes before what the events said. Of one that runs the
 * events know more. */
export function settle(task, kept) {
  if (kept.status === "running") return;
  Object.assign(task, kept);
  task.drafts.clear();
}

export function isDegraded(task) {
  return task.status === "answered" && (task.answer?.degraded.length ?? 0) > 0;
}

export function take(task, { id, type, data }) {
  task.isBroken = type === "broken";
  if (task.isBroken || type === "joined") return;
  task.lastEvent = id;
  if (task.status === "awaiting_review") task.status = "running"; // it has been approved since
  if (task.says[0] === "progress.queued") task.says = ["progress.task", {}]; // its turn has come
  TAKERS[type]?.(task, data);
}

const draftKey = ({ node, step }) => `${node}/${step ?? 0}`;

function takePassages(task, passages) {
  for (const passage of passages) task.passages.set(passage.id, passage);
}

const TAKERS = {
  task(task, { task_id }) {
    task.id = task_id;
    task.says = ["progress.task", {}];
  },
  queued(task, { ahead }) {
    task.says = ["progress.queued", { n: ahead }];
  },
  question(task, { query }) {
    task.understood = query;
  },
  passages(task, { passages }) {
    takePassages(task, passages);
    task.says = ["progress.passages", { n: passages.length }];
  },
  plan(task, { made }) {
    task.plan = made;
    task.says = ["progress.plan", { n: made.plan.steps.length }];
  },
  token(task, piece) {
    const key = draftKey(piece);
    const draft = task.drafts.get(key) ?? { node: piece.node, step: piece.step, text: "" };
    if (draft.text === "") task.says = ["progress.drafting", {}];
    task.drafts.set(key, { ...draft, text: draft.text + piece.text });
  },
  step(task, { result }) {
    task.steps.set(result.step, result);
    takePassages(task, result.passages);
    const of = task.plan?.plan.steps.length ?? result.step;
    task.says =
      task.steps.size === of ? ["progress.checking", {}] : ["progress.step", { n: result.step, of }];
  },
  failure(task, failure) {
    task.failures.push(failure);
    task.drafts.delete(draftKey(failure));
    task.says = ["progress.failure", {}];
  },
  answer(task, { answer }) {
    Object.assign(task, { answer, status: "answered" });
    task.drafts.clear();
  },
  refusal(task, { refusal }) {
    Object.assign(task, { refusal, status: "refused" });
    task.drafts.clear();
  },
  error(task, { error, message }) {
    task.error = { type: `urn:knowledge-agent:${error}`, detail: message };
    task.status = "failed";
  },
  review(task) {
    task.edited = null;
    task.status = "awaiting_review";
  },
  end(task, { status, cancelled }) {
    Object.assign(task, { status, cancelled });
    task.drafts.clear();
  },
};

/** How far a step is: one whose sources are there runs. */
export function stepState(task, number) {
  const result = task.steps.get(number);
  if (result) return result.failure ? "failed" : "done";
  if (task.status === "awaiting_review") return "waiting";
  if (task.status !== "running") return task.steps.size ? "skipped" : "done";
  const after = task.plan.plan.steps[number - 1].after;
  return after.every((each) => task.steps.has(each)) ? "running" : "waiting";
}
