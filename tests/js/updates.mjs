// What a session holds, and one handler a variant of `session/update`.

import * as shape from "./shapes.mjs";

const MESSAGES = ["user_message", "agent_message", "agent_thought", "session_message"];
const STATES = ["running", "idle", "requires_action"];
export const TERMINAL_STATUSES = ["completed", "failed", "cancelled"];

export const newSession = () => ({
  timeline: [],
  messages: Object.fromEntries(MESSAGES.map((type) => [type, new Map()])),
  toolCalls: new Map(),
  terminals: new Map(),
  plans: new Map(),
  compactions: new Map(),
  foreground: {
    state: "idle", confirmed: true, stopReason: null, error: null, usage: null, completions: 0,
  },
  prompts: [],
  permissions: [],
  commands: [],
  info: { title: null, updatedAt: null, meta: null },
  usage: null,
  notices: [],
  unknown: [],
  closed: false,
  stretch: new Set(),
});

const first = {
  message: (type) =>
    type === "session_message"
      ? { content: [], meta: null, senderSessionId: null, recipientSessionId: null }
      : { content: [], meta: null },
  toolCall: () => ({
    title: null, name: null, kind: "other", status: "pending", content: [], locations: [],
    rawInput: null, rawOutput: null, meta: null,
  }),
  terminal: () => ({
    command: null, cwd: null, output: Buffer.alloc(0), exitStatus: null, meta: null,
  }),
  compaction: () => ({ status: "in_progress", summary: [], error: null, meta: null }),
};

function entity(session, type, held, id, initial) {
  if (!held.has(id)) {
    held.set(id, initial);
    if (type) session.timeline.push([type, id]);
    if (type === "tool_call" && session.foreground.state !== "idle") session.stretch.add(id);
  }
  return held.get(id);
}

// Omitted keeps, null clears or resets to the default, a value replaces.
export function patch(held, update, names, defaults = {}) {
  for (const name of names) {
    const place = name === "_meta" ? "meta" : name;
    if (Object.hasOwn(update, name)) held[place] = update[name] ?? defaults[name] ?? null;
  }
}

// Each variant: its shape, and what an update of that shape does to the session.

const IDENTITIES = { senderSessionId: shape.string, recipientSessionId: shape.string };

// Omitted and null both leave a known participant as it is.
function identify(held, update) {
  for (const name of Object.keys(IDENTITIES)) held[name] = update[name] ?? held[name] ?? null;
}

export const messageOf = (session, type, id) =>
  entity(session, type, session.messages[type], id, first.message(type));
const toolCallOf = (session, id) =>
  entity(session, "tool_call", session.toolCalls, id, first.toolCall());
export const terminalOf = (session, id) => entity(session, null, session.terminals, id, first.terminal());
const compactionOf = (session, id) =>
  entity(session, "compaction", session.compactions, id, first.compaction());

export const UPDATES = {};
for (const type of MESSAGES) {
  const identities = type === "session_message" ? IDENTITIES : {};
  UPDATES[type] = [
    shape.struct({ messageId: shape.string }, { content: shape.list(shape.block), ...identities }),
    (session, update) => {
      const held = messageOf(session, type, update.messageId);
      patch(held, update, ["content", "_meta"], { content: [] });
      if (type === "session_message") identify(held, update);
    },
  ];
  UPDATES[`${type}_chunk`] = [
    shape.struct({ messageId: shape.string, content: shape.block }, identities),
    (session, update) => {
      const held = messageOf(session, type, update.messageId);
      held.content = [...held.content, update.content];
      if (type === "session_message") identify(held, update);
    },
  ];
}

const TOOL_FIELDS = {
  title: shape.string, name: shape.string, kind: shape.string, status: shape.string,
  content: shape.list(shape.toolItem), locations: shape.list(shape.location),
  rawInput: shape.any, rawOutput: shape.any,
};
export const TOOL_CALL = shape.struct({ toolCallId: shape.string }, TOOL_FIELDS);
UPDATES.tool_call_update = [
  TOOL_CALL,
  (session, update) =>
    patch(toolCallOf(session, update.toolCallId), update, [...Object.keys(TOOL_FIELDS), "_meta"], {
      kind: "other", status: "pending", content: [], locations: [],
    }),
];
UPDATES.tool_call_content_chunk = [
  shape.struct({ toolCallId: shape.string, content: shape.toolItem }),
  (session, update) => {
    const held = toolCallOf(session, update.toolCallId);
    held.content = [...held.content, update.content];
  },
];
UPDATES.terminal_update = [
  shape.struct(
    { terminalId: shape.string },
    {
      command: shape.string, cwd: shape.string, output: shape.output, exitStatus: shape.exitStatus,
    },
  ),
  (session, update) => {
    const held = terminalOf(session, update.terminalId);
    patch(held, update, ["command", "cwd", "exitStatus", "_meta"]);
    if (Object.hasOwn(update, "output")) {
      held.output = Buffer.from(update.output?.data ?? "", "base64");
    }
  },
];
UPDATES.terminal_output_chunk = [
  shape.struct({ terminalId: shape.string, data: shape.string }),
  (session, update) => {
    if (shape.base64(update.data) === undefined) return;
    const held = terminalOf(session, update.terminalId);
    held.output = Buffer.concat([held.output, Buffer.from(update.data, "base64")]);
  },
];
UPDATES.plan_update = [
  shape.struct({ plan: shape.plan }),
  (session, { plan }) => session.plans.set(plan.planId, plan),
];
UPDATES.plan_removed = [
  shape.struct({ planId: shape.string }),
  (session, { planId }) => session.plans.delete(planId),
];
UPDATES.available_commands_update = [
  shape.struct({ availableCommands: shape.list(shape.command) }),
  (session, update) => (session.commands = update.availableCommands),
];
UPDATES.config_option_update = [
  shape.struct({ configOptions: shape.list(shape.any) }),
  () => {},
];
UPDATES.subagent_update = [
  shape.struct({
    sessionId: shape.string,
    cwd: shape.orAbsent(shape.string),
    additionalDirectories: shape.orAbsent(shape.whole(shape.string)),
  }),
  () => {},
];
UPDATES.session_info_update = [
  shape.struct({}, { title: shape.string, updatedAt: shape.dateTime }),
  (session, update) => patch(session.info, update, ["title", "updatedAt", "_meta"]),
];
UPDATES.usage_update = [
  shape.struct({ used: shape.natural, size: shape.natural }, { cost: shape.cost }),
  (session, update) => {
    const { used, size, cost = session.usage?.cost ?? null } = update;
    session.usage = { used, size, cost };
  },
];
UPDATES.notice = [
  shape.struct({ severity: shape.string, title: shape.filled }, { description: shape.string }),
  (session, update, whole) => session.notices.push(whole),
];
UPDATES.compaction_update = [
  shape.struct(
    { compactionId: shape.string, status: shape.string },
    { summary: shape.list(shape.block), error: shape.string },
  ),
  (session, update) =>
    patch(compactionOf(session, update.compactionId), update, ["status", "summary", "error", "_meta"], {
      summary: [],
    }),
];
UPDATES.compaction_summary_chunk = [
  shape.struct({ compactionId: shape.string, content: shape.block }),
  (session, update) => {
    const held = compactionOf(session, update.compactionId);
    held.summary = [...held.summary, update.content];
  },
];
UPDATES.state_update = [
  shape.struct(
    { state: shape.string },
    { stopReason: shape.string, error: shape.error, usage: shape.usage },
  ),
  (session, update) => {
    const foreground = session.foreground;
    if (update.state === "unknown") {
      foreground.confirmed = false;
      return;
    }
    const outcome = { ...update };
    if (update.stopReason !== "error") delete outcome.error;
    if (update.state !== "idle" || foreground.state !== "idle") {
      Object.assign(foreground, { stopReason: null, error: null, usage: null });
    }
    if (update.state === "idle") {
      if (foreground.state !== "idle") foreground.completions += 1;
      patch(foreground, outcome, ["stopReason", "error", "usage"]);
    }
    if (update.state === "idle" || foreground.state === "idle") session.stretch.clear();
    foreground.state = update.state;
    foreground.confirmed = STATES.includes(update.state);
  },
];
