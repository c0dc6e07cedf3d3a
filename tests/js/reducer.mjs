// An honest reducer in plain JavaScript that speaks the target protocol: requests as JSON lines on
// standard input, one JSON line in answer to each. No packages; Node 18 or later.
//
//   node reducer.mjs                       honest
//   node reducer.mjs --fault echo-doubled  one seeded fault; faults.mjs names them
//
// It holds the sections that it names in `hello`, for edition `draft`; of the other edition those
// that both read alike.

import { FAULTS } from "./faults.mjs";
import * as shape from "./shapes.mjs";
import { newSession, TERMINAL_STATUSES, TOOL_CALL, UPDATES } from "./updates.mjs";

const IN_BOTH_EDITIONS = ["timeline", "plans", "prompts", "permissions", "notices", "closed"];
const SECTIONS = [
  ...IN_BOTH_EDITIONS, "messages", "toolCalls", "terminals", "compactions", "foreground",
  "commands", "info", "usage", "unknown",
];

// --- the connection --------------------------------------------------------------------------

const named = { sessionId: shape.string };
const choice = shape.struct({ optionId: shape.string, name: shape.string, kind: shape.string });

// The calls that name a session: the direction in which each travels, and its parameters.
const CALLS = {
  "session/update": ["a2c", shape.struct({ ...named, update: shape.object })],
  "session/cancel": ["c2a", shape.struct(named)],
  "session/close": ["c2a", shape.struct(named)],
  "session/delete": ["c2a", shape.struct(named)],
  "session/fork": ["c2a", shape.struct({ ...named, cwd: shape.string })],
  "session/resume": ["c2a", shape.struct({ ...named, cwd: shape.string })],
  "session/prompt": ["c2a", shape.struct({ ...named, prompt: shape.whole(shape.block) })],
  "session/set_config_option": [
    "c2a",
    shape.struct({ ...named, configId: shape.string, type: shape.string, value: shape.any }),
  ],
  "session/request_permission": [
    "a2c",
    shape.struct({
      ...named,
      title: shape.string,
      options: shape.some(shape.whole(choice)),
      subject: shape.orAbsent(
        shape.tagged("type", { tool_call: shape.struct({ toolCall: TOOL_CALL }) }),
      ),
    }),
  ],
};
const NOTIFICATIONS = ["session/update", "session/cancel"];

class Connection {
  constructor(edition) {
    this.edition = edition;
    this.sessions = new Map();
    this.open = { c2a: new Map(), a2c: new Map() };
  }

  session(id) {
    if (!this.sessions.has(id)) this.sessions.set(id, newSession());
    return this.sessions.get(id);
  }

  apply({ dir, msg }) {
    if (dir === "lost") this.lose();
    else if (!shape.isObject(msg)) return;
    else if (Object.hasOwn(msg, "method")) this.call(dir, msg);
    else this.answer(dir, msg);
  }

  call(dir, message) {
    const { id, method, jsonrpc } = message;
    const isRequest = Object.hasOwn(message, "id");
    const request = {};
    if (isRequest && isId(id)) this.open[dir].set(JSON.stringify(id), request);
    if (jsonrpc !== "2.0" || (isRequest && !isId(id))) return;
    if (isRequest === NOTIFICATIONS.includes(method)) return;
    const [way, clean] = Object.hasOwn(CALLS, method) ? CALLS[method] : [dir, shape.object];
    const params = clean(message.params ?? {});
    if (way !== dir || params === undefined) return;
    request.method = method;
    if (method === "session/update") this.update(params.sessionId, params.update);
    else if (Object.hasOwn(CALLS, method)) this.named(request, id, params);
  }

  named(request, id, params) {
    const session = this.session(params.sessionId);
    request.session = session;
    if (request.method === "session/cancel") this.cancel(session);
    else if (request.method === "session/prompt") {
      request.prompt = { request: id, status: "pending", messageId: null, error: null };
      session.prompts.push(request.prompt);
    } else if (request.method === "session/request_permission") {
      request.permission = { request: id, status: "pending", outcome: null };
      session.permissions.push(request.permission);
      if (params.subject?.type === "tool_call") {
        UPDATES.tool_call_update[1](session, params.subject.toolCall, params.subject.toolCall);
      }
    }
  }

  update(sessionId, update) {
    if (typeof update.sessionUpdate !== "string") return;
    if (!Object.hasOwn(UPDATES, update.sessionUpdate)) {
      this.session(sessionId).unknown.push(update);
      return;
    }
    const [clean, handle] = UPDATES[update.sessionUpdate];
    const usable = clean(update);
    if (usable !== undefined) handle(this.session(sessionId), usable, update);
  }

  cancel(session) {
    for (const id of session.stretch) {
      const call = session.toolCalls.get(id);
      if (!TERMINAL_STATUSES.includes(call.status)) call.status = "cancelled";
    }
  }

  answer(dir, message) {
    const asked = this.open[dir === "a2c" ? "c2a" : "a2c"];
    const request = asked.get(JSON.stringify(message.id));
    if (!request) return;
    asked.delete(JSON.stringify(message.id));
    const { result, error } = readAnswer(message);
    if (request.prompt) settle(request.prompt, result, error);
    if (request.permission) {
      const outcome = OUTCOME(result?.outcome);
      Object.assign(
        request.permission,
        outcome ? { status: "answered", outcome } : { status: "withdrawn" },
      );
    }
    if (request.method === "session/new" && typeof result?.sessionId === "string") {
      this.session(result.sessionId);
    }
    const isGone = error?.code === -32002 && this.edition !== "draft";
    if (request.method === "session/close" && (result || isGone)) request.session.closed = true;
    if (request.method === "session/resume" && result) request.session.closed = false;
  }

  lose() {
    this.open = { c2a: new Map(), a2c: new Map() };
    for (const session of this.sessions.values()) {
      session.foreground.confirmed = false;
      for (const prompt of session.prompts) {
        if (prompt.status === "pending") prompt.status = "uncertain";
      }
      for (const permission of session.permissions) {
        if (permission.status === "pending") permission.status = "withdrawn";
      }
    }
  }

  snapshot(id) {
    const session = this.sessions.get(id);
    if (!session) return null;
    const { stretch, messages, terminals, ...rest } = session;
    return plain({
      ...rest,
      messages,
      terminals: new Map(
        [...terminals].map(([key, held]) => [
          key,
          { ...held, output: held.output.toString("base64") },
        ]),
      ),
    });
  }
}

function isId(value) {
  return typeof value === "string" || Number.isInteger(value);
}

// What an answer says: an object as result, an error, or neither where it cannot be read.
function readAnswer(message) {
  const { error, result, jsonrpc } = message;
  const hasError = Object.hasOwn(message, "error");
  if (jsonrpc !== "2.0" || hasError === Object.hasOwn(message, "result")) return {};
  if (!hasError) return { result: shape.object(result) };
  return shape.error(error) ? { error } : {};
}

const OUTCOME = shape.tagged("outcome", {
  selected: shape.struct({ optionId: shape.string }),
  cancelled: shape.struct({}),
});

function settle(prompt, result, error) {
  if (typeof result?.messageId === "string") {
    Object.assign(prompt, { status: "accepted", messageId: result.messageId });
  } else if (error) {
    Object.assign(prompt, { status: "rejected", error });
  } else prompt.status = "uncertain";
}

// A Map is a JSON object, whatever its keys are: "__proto__" is an id like any other.
const plain = (value) =>
  JSON.parse(JSON.stringify(value, (_, held) => (held instanceof Map ? Object.fromEntries(held) : held)));

const [option, fault] = process.argv.slice(2);
if (option !== undefined) {
  if (option !== "--fault" || !Object.hasOwn(FAULTS, fault ?? "")) {
    console.error(`usage: reducer.mjs [--fault ${Object.keys(FAULTS).join("|")}]`);
    process.exit(2);
  }
  FAULTS[fault](Connection);
}

// --- the protocol ----------------------------------------------------------------------------

let edition = "draft";
let connection = new Connection(edition);

const OPERATIONS = {
  hello(request) {
    edition = request.edition;
    return {
      name: "plain JavaScript",
      sections: edition === "draft" ? SECTIONS : IN_BOTH_EDITIONS,
    };
  },
  reset() {
    connection = new Connection(edition);
    return { ok: true };
  },
  apply({ events }) {
    for (const event of events) connection.apply(event);
    return { ok: true };
  },
  snapshot: ({ sessionId }) => ({ snapshot: connection.snapshot(sessionId) }),
};

// Lines are split here and not by node:readline, which also splits at U+2028 and at "\r".
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const request = JSON.parse(line);
    process.stdout.write(`${JSON.stringify(OPERATIONS[request.op](request))}\n`);
  }
});
