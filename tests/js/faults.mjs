// Seeded faults, one switched on at a time: what tests of the fuzzer must catch.

import { messageOf, patch, terminalOf, UPDATES } from "./updates.mjs";

// Each is called once with the class of the honest connection and exchanges one thing in it.
export const FAULTS = {
  "echo-doubled": (Connection) => {
    const honest = Connection.prototype.answer;
    Connection.prototype.answer = function (dir, message) {
      const request = this.open.c2a.get(JSON.stringify(message.id));
      const id = message.result?.messageId;
      if (dir === "a2c" && request?.prompt && request.session.messages.user_message.has(id)) {
        messageOf(request.session, "user_message", `${id} (sent)`);
      }
      honest.call(this, dir, message);
    };
  },
  "base64-joined": () => {
    UPDATES.terminal_output_chunk[1] = (session, update) => {
      const held = terminalOf(session, update.terminalId);
      const joined = held.output.toString("base64") + update.data;
      held.output = Buffer.from(joined, "base64");
    };
  },
  "omitted-as-empty": () => {
    UPDATES.agent_message[1] = (session, update) => {
      const held = messageOf(session, "agent_message", update.messageId);
      patch(held, { content: [], ...update }, ["content", "_meta"], { content: [] });
    };
  },
  "response-ends-work": (Connection) => {
    const honest = Connection.prototype.answer;
    Connection.prototype.answer = function (dir, message) {
      const request = this.open.c2a.get(JSON.stringify(message.id));
      honest.call(this, dir, message);
      if (request?.prompt) request.session.foreground.state = "idle";
    };
  },
  "crash-on-unknown": (Connection) => {
    const honest = Connection.prototype.update;
    Connection.prototype.update = function (sessionId, update) {
      if (!Object.hasOwn(UPDATES, update.sessionUpdate)) throw new Error("unknown update");
      honest.call(this, sessionId, update);
    };
  },
};
