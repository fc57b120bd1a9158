import { type Command, InvalidArgumentError, Option } from "commander";
import { byteCountForms, parseByteCount } from "./byte-count.ts";
import { addCommand, durationOption } from "./command-options.ts";
import type { Environment } from "./environment.ts";
import type { FollowOptions } from "./history-follow.ts";

const smallestFile = 1_024;
const dayMs = 86_400_000;

/** Adds the commands about the history of the whole stock. */
export function addHistoryCommands(program: Command, environment: Environment): void {
  const history = program.command("history").description("the history of the whole stock");

  addCommand(
    history,
    "follow",
    `write every change of the stock to files, and go on until it is stopped

Each change is one line of JSON with all fields: who made it, when and why. A file is called
changes-<version of its first change>.ndjson; it is complete when there is a later one.

Run it again on the same directory, after any interruption: it finds in the files where it
stopped. No change is written twice, and none is left out. If the service has forgotten
changes in the meantime (HISTORY_LENGTH, HISTORY_DAYS), or its stock was replaced, it writes
nothing and ends with exit code 3.

SIGINT and SIGTERM stop it cleanly.`,
    "inventory history follow --output /var/log/inventory",
    "inventory history follow --output /var/log/inventory --once --json",
  )
    .requiredOption("--output <dir>", "directory of the files; it is made if it does not exist")
    .option("--once", "write what there is, and end")
    .addOption(sizeOption())
    .addOption(
      durationOption(
        "--max-age <duration>",
        "begin a new file when a change is this much younger than the first of its file; 0 for never",
      ).default(dayMs, "24h"),
    )
    .option("--accept-gap", "when changes were forgotten, write which ones are missing, and go on")
    .action(async (options: FollowOptions) => {
      const { followHistory } = await import("./history-follow.ts");
      await followHistory(environment, options);
    });
}

function sizeOption(): Option {
  return new Option(
    "--max-size <size>",
    `begin a new file when one would be larger: ${byteCountForms}`,
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
