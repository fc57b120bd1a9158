import type { Command } from "commander";
import { commandsOf } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { followTerms } from "./follow-options.ts";

/** Adds the `history` commands. */
export function addHistoryCommands(program: Command, environment: Environment): void {
  const history = program.command("history").description("copy the history of the stock to files");

  commandsOf(history, environment, () => import("./history-follow.ts"), "redis")(
    "follow",
    `write every change of the stock to files, until interrupted

Each change is one line of JSON with all fields, including the account, the key and the reason.
A file is named changes-<version of its first change>.ndjson. It is complete when a later file
exists.

To continue after an interruption, run the command again with the same directory. It writes
every change exactly once. If the service has deleted changes in the meantime (HISTORY_LENGTH,
HISTORY_DAYS), or its stock was replaced, the command writes nothing: exit code 3.

Ctrl-C (SIGINT) or SIGTERM stops the command: exit code 0.`,
    (module) => module.followHistory,
    followTerms("changes"),
    "inventory history follow /var/log/inventory",
    "inventory history follow /var/log/inventory --once -o json",
  );
}
