import type { JsonSchema, Setting } from "./setting.ts";

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
