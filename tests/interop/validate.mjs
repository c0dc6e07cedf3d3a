// Answers, for each line {"schema": NAME, "value": JSON} on standard input, with one line
// {"ok": true, "value": what the SDK's parser made of it} or {"ok": false, "error": TEXT}.
// The SDK's folder is the first argument; its validators are read from it by path.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const schemas = await import(
  pathToFileURL(join(process.argv[2], "dist/v2/unstable/schema/zod.gen.js")).href
);

for await (const line of createInterface({ input: process.stdin })) {
  const { schema, value } = JSON.parse(line);
  const validator = schemas[schema];
  if (validator === undefined) {
    console.log(JSON.stringify({ ok: false, error: `no such schema: ${schema}` }));
    continue;
  }
  const result = validator.safeParse(value);
  console.log(
    JSON.stringify(
      result.success
        ? { ok: true, value: result.data }
        : { ok: false, error: String(result.error.issues?.[0]?.message ?? result.error) },
    ),
  );
}
