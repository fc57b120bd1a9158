import { type Argument, type Command, InvalidArgumentError, Option } from "commander";
import { dayMs } from "../../common/durations.ts";
import { argument, commandsOf, durationOption, option } from "../command-options.ts";
import type { Environment } from "../environment.ts";

const units = { "": 1, K: 1_024, M: 1_048_576, G: 1_073_741_824 };

const smallestFile = 1_024;

/** Examples of sizes, for help and errors. */
const byteCountForms = "64M, 512K, 1G or 4096";

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

/** Returns the terms of a command that writes records to files. @param records what they are, such as `changes` */
export function followTerms(records: string): (Argument | Option)[] {
  return [
    argument("<directory>", "directory of the files; created if it does not exist"),
    option("--once", `write the ${records} so far, then exit`),
    sizeOption(),
    durationOption(
      "--max-age <duration>",
      `start a new file when the current one has ${records} older than this; 0 means never`,
    ).default(dayMs, "24h"),
    option("--accept-gap", `if ${records} were deleted, write a line for the gap and continue`),
  ];
}

function sizeOption(): Option {
  return new Option(
    "--max-size <size>",
    "start a new file before the current one exceeds this size. Examples: 64M, 512K",
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

/**
 * Parses a number of bytes: a whole number with an optional unit K, M or G (KiB, MiB, GiB).
 *
 * @returns bytes; undefined if the text is malformed, or is 1,024 GiB or more
 */
function parseByteCount(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,15})([KMG]?)$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  const bytes = Number(count) * units[unit as keyof typeof units];
  return bytes < 1_024 * units.G ? bytes : undefined;
}
