import type { Argument, Command, Option } from "commander";
import { argument, commandsOf, option } from "../command-options.ts";
import type { Environment } from "../environment.ts";

/** Adds the `history` commands. */
export function addHistoryCommands(program: Command, environment: Environment): void {
  const history = program.command("history").description("hand on the history of the stock");

  commandsOf(history, environment, () => import("./history-follow.ts"), "redis")(
    "follow",
    `print every change of the stock, until interrupted

Each change is one line of JSON with all fields, including the account, the key and the reason.
${placeText("changes", "HISTORY_LENGTH, HISTORY_DAYS")}`,
    (module) => module.followHistory,
    followTerms("changes"),
    "inventory history follow archive --from-beginning >> changes.ndjson",
    "inventory history follow archive --once >> changes.ndjson",
  );
}

/** Says in the help of a command where it begins. @param records what it hands on, such as `changes` */
export function placeText(records: string, settings: string): string {
  return `
The command keeps its place in Redis under the name, and continues there. A killed command can
repeat its last ${records}. Only one process can have a name: others wait until it ends. A name
without a place begins with new ${records}, or with --from-beginning with the oldest ones. If
${records} after the place are lost (${settings}, or a restore), the command ends: exit
code 3.

Ctrl-C (SIGINT) or SIGTERM stops the command: exit code 0.`;
}

/** Returns the terms of a command that prints records. */
export function followTerms(records: string): (Argument | Option)[] {
  return [...placeTerms(records), option("--once", `print the ${records} so far, then exit`)];
}

/** Returns the terms of a command that has a name and a place. */
export function placeTerms(records: string): (Argument | Option)[] {
  return [
    argument("<name>", "the name of the place"),
    option("--from-beginning", `if the name has no place, begin with the oldest ${records}`),
    option("--from-now", `set the place to now: earlier ${records} are skipped`),
  ];
}
