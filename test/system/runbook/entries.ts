import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What an entry of the runbook lets its reader type. */
export interface Entry {
  /** Commands that show the fault. */
  readonly confirm: readonly string[];
  /** Commands that repair it. */
  readonly repair: readonly string[];
}

const page = readFileSync(join(import.meta.dirname, "../../../docs/operator/runbook.md"), "utf8");

/** Returns the text of each entry of the runbook, by the name of its alert. */
export function entryTexts(): Map<string, string> {
  const sections = page.split(/^### /m).slice(1);
  return new Map(sections.map((text) => [text.slice(0, text.indexOf("\n")), text]));
}

/**
 * Returns the commands of an entry: its blocks of type `sh`.
 *
 * @throws Error if the runbook has no such entry
 */
export function commandsOf(alert: string): Entry {
  const text = entryTexts().get(alert);
  if (text === undefined) throw new Error(`docs/operator/runbook.md has no entry ${alert}`);
  const start = /^\*\*(Do|Confirm\*\* and \*\*do)\*\*/m.exec(text)?.index ?? text.length;
  return { confirm: blocksIn(text.slice(0, start)), repair: blocksIn(text.slice(start)) };
}

function blocksIn(text: string): string[] {
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
}
