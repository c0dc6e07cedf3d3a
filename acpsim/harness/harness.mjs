// A JavaScript reducer behind acpsim's target protocol, its messages read by the official SDK
// (@agentclientprotocol/sdk 2.4, draft v2). One file; Node 18 or later.
//
//   npm install @agentclientprotocol/sdk zod
//   acpsim fuzz --edition sdk-2.4 --target "cmd:node harness.mjs ./my_reducer.mjs"
//
// my_reducer.mjs exports by default a class or a function: given the edition's name, an object with
//
//   apply(event, read)     one event: {dir: "c2a" | "a2c", msg} or {dir: "lost"}; and what the SDK
//                          makes of it: {method, params}; of an answer {method, request, result} or
//                          {method, request, error}; {problem: TEXT} where the SDK does not take it
//   snapshot(sessionId)    what is held of a session, by section; null for one never named
//   sections               optional: the sections that it keeps; all where it says nothing
//
// The pattern is that of harness.py: read a line, answer with a line, whatever happens. Standard
// output is for answers alone, so console.log goes to standard error. The SDK leaves out fields that
// it does not know: take those from `event.msg`.

import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

console.log = console.info = console.debug = console.error;

const SECTIONS = (
  "timeline messages toolCalls terminals plans compactions subagents foreground prompts " +
  "permissions commands configOptions info usage notices unknown closed"
).split(" ");
const SCHEMAS = {
  initialize: "Initialize", "session/new": "NewSession", "session/prompt": "Prompt",
  "session/resume": "ResumeSession", "session/close": "CloseSession", "session/fork": "ForkSession",
  "session/delete": "DeleteSession", "session/list": "ListSessions",
  "session/set_config_option": "SetSessionConfigOption", "session/cancel": "CancelSession",
  "session/request_permission": "RequestPermission", "session/update": "UpdateSession",
};

const path = process.argv[2];
if (path === undefined) throw new Error("usage: node harness.mjs REDUCER.mjs");
const reducerFile = pathToFileURL(resolve(path)).href;
const { default: Reducer } = await import(reducerFile);
// The SDK is the one that the reducer would import: it is looked for beside it.
const { resolve: find } = createRequire(reducerFile);
const entry = find("@agentclientprotocol/sdk/experimental/v2/unstable");
const schemas = await import(pathToFileURL(join(dirname(entry), "schema/zod.gen.js")).href);

let edition, reducer, open; // `open`: requests without an answer, by direction and id

function reset() {
  open = new Map();
  const isClass = /^class\b/.test(Function.prototype.toString.call(Reducer));
  reducer = isClass ? new Reducer(edition) : Reducer(edition);
  return { ok: true };
}

function read({ dir, msg }) {
  if (dir === "lost") open.clear();
  if (typeof msg !== "object" || msg === null) return { problem: "is no JSON object" };
  if (typeof msg.method === "string") {
    const isRequest = "id" in msg;
    if (isRequest) open.set(dir + JSON.stringify(msg.id), msg);
    const found = parsed(msg.method, isRequest ? "Request" : "Notification", msg.params ?? {});
    return found.problem ? found : { method: msg.method, params: found.value };
  }
  const asked = (dir === "a2c" ? "c2a" : "a2c") + JSON.stringify(msg.id);
  const request = open.get(asked);
  if (request === undefined) return { problem: "answers no open request" };
  open.delete(asked);
  const method = request.method;
  if (Object.hasOwn(msg, "error")) return { method, request, error: msg.error };
  const found = parsed(method, "Response", msg.result);
  return found.problem ? found : { method, request, result: found.value };
}

// Methods of which the SDK knows nothing are handed on as they are: they are no mistake.
function parsed(method, kind, value) {
  const name = Object.hasOwn(SCHEMAS, method) ? `z${SCHEMAS[method]}${kind}` : undefined;
  if (name === undefined) return { value };
  if (schemas[name] === undefined) return { problem: `${method} is no ${kind.toLowerCase()}` };
  const { success, data, error } = schemas[name].safeParse(value);
  return success ? { value: data } : { problem: error.issues[0].message };
}

const OPERATIONS = {
  hello(request) {
    edition = request.edition;
    reset();
    return { name: path, sections: reducer.sections ?? SECTIONS };
  },
  reset,
  apply({ events }) {
    for (const event of events) reducer.apply(event, read(event));
    return { ok: true };
  },
  snapshot: ({ sessionId }) => ({ snapshot: reducer.snapshot(sessionId) ?? null }),
};

function answer(line) {
  try {
    const request = JSON.parse(line);
    return JSON.stringify(OPERATIONS[request.op](request));
  } catch (error) {
    console.error(error);
    return JSON.stringify({ ok: false, error: String(error).split("\n")[0] });
  }
}

// Lines are split here and not by node:readline, which also splits at U+2028 and "\r". Where nobody
// reads the answers we wait; when the input ends, Node ends once all are written.
let rest = "";
process.stdin.setEncoding("utf8");
for await (const text of process.stdin) {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    if (!process.stdout.write(`${answer(line)}\n`)) {
      await new Promise((drained) => process.stdout.once("drain", drained));
    }
  }
}
