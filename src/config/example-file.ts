import { posix } from "node:path";
import type { Setting } from "./setting.ts";

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
