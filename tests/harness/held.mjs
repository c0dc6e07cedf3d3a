// A small reducer for the harness, edition sdk-2.4: it holds agent messages, and whether a session is
// closed, from what the SDK made of the messages and from nothing else.

export default class Held {
  sections = ["messages.agent_message", "closed"];

  constructor(edition) {
    console.log("what a reducer prints is no answer", edition);
    this.sessions = new Map();
  }

  session(id) {
    if (!this.sessions.has(id)) this.sessions.set(id, { messages: new Map(), closed: false });
    return this.sessions.get(id);
  }

  apply(event, read) {
    if (event.msg?.method === "_test/throw") throw new Error("told to");
    const { method, params, request, result, error } = read;
    if (method === "session/update") this.update(this.session(params.sessionId), params.update);
    else if (params?.sessionId && !request) this.session(params.sessionId);
    const gone = method === "session/close" && error?.code === -32002;
    if (request === undefined || (result === undefined && !gone)) return;
    if (method === "session/new") this.session(result.sessionId);
    if (method === "session/close") this.session(request.params.sessionId).closed = true;
    if (method === "session/resume") this.session(request.params.sessionId).closed = false;
  }

  update(session, { sessionUpdate: variant, messageId, content, _meta }) {
    if (variant !== "agent_message" && variant !== "agent_message_chunk") return;
    if (!session.messages.has(messageId)) session.messages.set(messageId, { content: [], meta: null });
    const held = session.messages.get(messageId);
    if (variant === "agent_message_chunk") held.content.push(content);
    else {
      if (content !== undefined) held.content = content ?? [];
      if (_meta === null) held.meta = null;
      else if (_meta !== undefined) held.meta = merged(held.meta, _meta);
    }
  }

  snapshot(id) {
    const session = this.sessions.get(id);
    if (session === undefined) return null;
    return { messages: { agent_message: Object.fromEntries(session.messages) }, closed: session.closed };
  }
}

// Edition sdk-2.4: metadata is patched key by key, and null removes a key.
function merged(held, patch) {
  const kept = Object.entries({ ...held, ...patch }).filter(([, value]) => value !== null);
  return Object.fromEntries(kept);
}
