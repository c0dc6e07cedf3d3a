// What a well-formed value looks like, and what is left of one that is not.
//
// A shape is a function: it returns the value less what was malformed in it, or undefined where the
// value as a whole cannot be used. A malformed optional field is left out, a bad item of a list too;
// unknown fields and unknown variants stand as they came.

export const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const string = (value) => (typeof value === "string" ? value : undefined);
export const boolean = (value) => (typeof value === "boolean" ? value : undefined);
export const object = (value) => (isObject(value) ? value : undefined);
export const integer = (value) => (Number.isInteger(value) ? value : undefined);
export const any = (value) => value;
const within = (low, high) => (value) =>
  Number.isInteger(value) && value >= low && value <= high ? value : undefined;
export const natural = within(0, Infinity);
const number = (value) => (typeof value === "number" ? value : undefined);
const fraction = (value) => (typeof value === "number" && value >= 0 && value <= 1 ? value : undefined);
const uri = (value) => {
  try {
    return typeof value === "string" && new URL(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
const DATE = "(\\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])";
const CLOCK = "(?:[01]\\d|2[0-3]):[0-5]\\d";
const DATE_TIME = new RegExp(`^${DATE}T${CLOCK}:[0-5]\\d(?:\\.\\d+)?(?:Z|[+-]${CLOCK})$`);
export const dateTime = (value) => {
  const [, year, month, day] = (typeof value === "string" && DATE_TIME.exec(value)) || [];
  return day && day <= new Date(Date.UTC(year, month, 0)).getUTCDate() ? value : undefined;
};
export const filled = (value) => (typeof value === "string" && value !== "" ? value : undefined);
export const base64 = (value) =>
  typeof value === "string" &&
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value)
    ? value
    : undefined;

export const list = (shape) => (value) =>
  Array.isArray(value) ? value.map(shape).filter((item) => item !== undefined) : undefined;
export const whole = (shape) => (value) =>
  Array.isArray(value) && value.every((item) => shape(item) !== undefined) ? value : undefined;

export const some = (shape) => (value) => {
  const clean = shape(value);
  return clean?.length > 0 ? clean : undefined;
};

// An optional field that costs its object when it is malformed.
export const orAbsent = (shape) => (value) =>
  (value ?? null) === null ? null : shape(value);

export const struct = (required, optional = {}) => (value) => {
  if (!isObject(value)) return undefined;
  const clean = { ...value };
  for (const [name, shape] of Object.entries(required)) {
    clean[name] = shape(Object.hasOwn(value, name) ? value[name] : undefined);
    if (clean[name] === undefined) return undefined;
  }
  for (const [name, shape] of Object.entries({ ...optional, _meta: object })) {
    if (!Object.hasOwn(value, name) || value[name] === null) continue;
    clean[name] = shape(value[name]);
    if (clean[name] === undefined) delete clean[name];
  }
  return clean;
};

export const tagged = (tag, variants, other = object) => (value) => {
  if (!isObject(value) || typeof value[tag] !== "string") return undefined;
  return (Object.hasOwn(variants, value[tag]) ? variants[value[tag]] : other)(value);
};

const annotations = struct({}, { audience: list(string), lastModified: string, priority: fraction });
const icon = struct({ src: uri }, { mimeType: string, sizes: list(string), theme: string });
const contents = (value) => {
  const clean = struct({ uri }, { text: string, blob: string, mimeType: string })(value);
  return clean && (Object.hasOwn(clean, "text") || Object.hasOwn(clean, "blob")) ? clean : undefined;
};

export const block = tagged("type", {
  text: struct({ text: string }, { annotations }),
  image: struct({ data: string, mimeType: string }, { uri, annotations }),
  audio: struct({ data: string, mimeType: string }, { annotations }),
  resource_link: struct(
    { name: string, uri },
    { title: string, description: string, icons: list(icon), mimeType: string, size: natural, annotations },
  ),
  resource: struct({ resource: contents }, { annotations }),
});

const file = { fileType: string, mimeType: string };
const change = tagged("operation", {
  add: struct({ path: string }, file),
  delete: struct({ path: string }, file),
  modify: struct({ path: string }, file),
  move: struct({ path: string, oldPath: string }, file),
  copy: struct({ path: string, oldPath: string }, file),
});
export const toolItem = tagged("type", {
  content: struct({ content: block }),
  diff: struct({ changes: list(change) }, { patch: struct({ format: string, text: string }) }),
  terminal: struct({ terminalId: string }),
});
export const location = struct({ path: string }, { line: within(1, 4294967295) });
export const exitStatus = struct({}, { exitCode: integer, signal: string });
export const output = struct({ data: base64 });

const entry = struct({ content: string, priority: string, status: string });
export const plan = tagged(
  "type",
  {
    items: struct({ planId: string, entries: list(entry) }),
    markdown: struct({ planId: string, content: string }),
    file: struct({ planId: string, uri }),
  },
  struct({ planId: string }),
);

export const error = struct({ code: integer, message: string });
export const usage = struct(
  { totalTokens: natural, inputTokens: natural, outputTokens: natural },
  { thoughtTokens: natural, cachedReadTokens: natural, cachedWriteTokens: natural },
);
export const cost = struct({ amount: number, currency: string });
export const command = struct(
  { name: string, description: string },
  { input: tagged("type", { text: struct({ hint: string }) }) },
);
