import { type Command, InvalidArgumentError, Option } from "commander";
import { byteCountForms, parseByteCount } from "./byte-count.ts";
import { addCommand, durationOption } from "./command-options.ts";
import type { Environment } from "./environment.ts";
import type { FollowOptions } from "./history-follow.ts";

const smallestFile = 1_024;
const dayMs = 86_400_000;

/** Adds the `history` commands. */
export function addHistoryCommands(program: Command, environment: Environment): void {
  const history = program.command("history").description("copy the history of the stock to files");

  addCommand(
    history,
    "follow",
    `write every change of the stock to files, until interrupted

Each change is one line of JSON with all fields, including the account, the key and the reason.
A file is named changes-<version of its first change>.ndjson. It is complete when a later file
exists.

To continue after an interruption, run the command again with the same directory. It writes
every change exactly once. If the service has deleted changes in the meantime (HISTORY_LENGTH,
HISTORY_DAYS), or its stock was replaced, the command writes nothing: exit code 3.

Ctrl-C (SIGINT) or SIGTERM stops the command: exit code 0.`,
    "inventory history follow --output /var/log/inventory",
    "inventory history follow --output /var/log/inventory --once --json",
  )
    .requiredOption("--output <dir>", "directory of the files; created if it does not exist")
    .option("--once", "write the changes so far, then exit")
    .addOption(sizeOption())
    .addOption(
      durationOption(
        "--max-age <duration>",
        "start a new file when the first change of the current one is this old; 0 means never",
      ).default(dayMs, "24h"),
    )
    .option("--accept-gap", "if changes were deleted, write a line for the gap and continue")
    .action(async (options: FollowOptions) => {
      const { followHistory } = await import("./history-follow.ts");
      await followHistory(environment, options);
    });
}

function sizeOption(): Option {
  return new Option(
    "--max-size <size>",
    `start a new file before the current one exceeds this size: ${byteCountForms}`,
  )
    .default(64 * 1024 * 1024, "64M")
    .argParser((text) => {
      const bytes = parseByteCount(text);
      if (bytes === undefined || bytes < smallestFile) {
        throw new InvalidArgumentError(
          `It must be a size of at least 1K, such as ${byteCountForms}.`,
        );
      }
      return bytes;
    });
}
