import type { JsonSchema, Setting } from "./setting.ts";

/**
 * Makes a JSON Schema of an object with settings. Numbers are numbers, so check environment variables with type
 * coercion.
 *
 * @param together names that must be set together
 */
export function settingsSchema(
  settings: Readonly<Record<string, Setting<unknown>>>,
  together: readonly (readonly string[])[],
): JsonSchema {
  const entries = Object.entries(settings);
  const secrets = entries.flatMap(([name, { secret }]) => (secret ? [name] : []));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Settings of the inventory service",
    description:
      "The settings by the names of their environment variables. Check environment variables with type coercion, because they are texts.",
    type: "object",
    properties: Object.fromEntries(entries.flatMap(([name, setting]) => properties(name, setting))),
    additionalProperties: false,
    dependentRequired: Object.fromEntries(
      together.flatMap((names) =>
        names.map((name) => [name, names.filter((other) => other !== name)]),
      ),
    ),
    allOf: secrets.map((name) => ({ not: { required: [name, `${name}_FILE`] } })),
  };
}

/** Settings that the Helm chart sets by other values than `config`. */
const chartsOwn = /^(HOST|PORT|ADMIN_ADDR|REDIS_(MODE|SENTINEL_NAME|USERNAME|TLS_SERVERNAME))$/;

/** Returns the JSON Schemas of the settings that the chart takes in `config`. Pods mount secrets and files instead. */
export function chartSettings(
  settings: Readonly<Record<string, Setting<unknown>>>,
): Readonly<Record<string, JsonSchema>> {
  const passed = Object.entries(settings).filter(
    ([name, { secret, isFile }]) => !secret && !isFile && !chartsOwn.test(name),
  );
  return Object.fromEntries(
    passed.map(([name, { schema = { type: "string" } }]) => [name, schema]),
  );
}

function properties(name: string, setting: Setting<unknown>): [name: string, schema: JsonSchema][] {
  const { meaning, schema = { type: "string" }, default: text, secret } = setting;
  const own = {
    description: meaning,
    ...schema,
    ...(text !== undefined && { default: schema.type === "string" ? text : Number(text) }),
    ...(secret && { writeOnly: true }),
  };
  if (!secret) return [[name, own]];
  const file = { description: `File with the value of ${name}.`, type: "string", minLength: 1 };
  return [
    [name, own],
    [`${name}_FILE`, file],
  ];
}
