import { posix } from "node:path";
import type { JsonSchema, Setting } from "../../src/config/setting.ts";

const width = 100;

const head = `# All settings of the inventory service and their defaults. Copy this file, remove the # before a
# setting, and start the service with CONFIG_FILE=<path of the copy>. npm run generate makes this file.
`;

/** Makes an example of the file CONFIG_FILE. @param groups settings by the titles of their groups */
export function exampleFile(
  groups: Readonly<Record<string, Readonly<Record<string, Setting<unknown>>>>>,
): string {
  const sections = Object.entries(groups).map(([title, settings]) => {
    const entries = Object.entries(settings).filter(([name]) => name !== "CONFIG_FILE");
    return `\n# ${title}\n\n${entries.map(([name, setting]) => entry(name, setting)).join("\n")}`;
  });
  return head + sections.join("");
}

function entry(name: string, { meaning, bounds, secret, default: text = "" }: Setting<unknown>) {
  // Links of the docs, from this folder.
  const plain = meaning
    .replace(/\[([^\]]*)\]\(#[^)]*\)/g, "$1")
    .replace(/\[[^\]]*\]\(([^)]*)\)/g, (_, path: string) => posix.join("docs/operator", path));
  const file = secret ? ` ${name}_FILE can have the path of a file with the value.` : "";
  return `${comment(`${plain}${file} Values: ${bounds}.`)}#${name}=${text}\n`;
}

function comment(text: string): string {
  let lines = "";
  let line = "#";
  for (const word of text.split(" ")) {
    if (line.length + word.length >= width) {
      lines += `${line}\n`;
      line = "#";
    }
    line += ` ${word}`;
  }
  return `${lines}${line}\n`;
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
