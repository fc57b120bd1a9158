import { configFaults, configWarnings } from "../../config/config.ts";
import { effectiveSettings } from "../../config/sources.ts";
import { aclLine } from "../../stores/redis/acl.ts";
import { CommandError, usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { readText } from "../output/file-format.ts";
import { faultLine, plural, printResult } from "../output/output.ts";
import { table } from "../output/table.ts";
import { print } from "../output/terminal.ts";

/** Checks all settings. Prints a line for each warning, and on standard error for each fault. @throws CommandError if there are faults */
export async function checkConfig(environment: Environment): Promise<void> {
  reportFaults(environment);
  const warnings = configWarnings(environment.env);
  await printResult(environment, {
    json: () => JSON.stringify({ valid: true, warnings }),
    text: () =>
      ["all settings are valid", ...warnings.map((each) => `warning: ${each}`)].join("\n"),
  });
}

/** Prints all settings, without secrets. @throws CommandError if there are faults, after the settings are printed */
export async function showConfig(environment: Environment): Promise<void> {
  const shown = effectiveSettings(environment.env);
  await printResult(environment, {
    json: () => JSON.stringify(shown),
    text: () =>
      table<(typeof shown)[number]>(
        [
          { title: "NAME", of: ({ name }) => name },
          { title: "VALUE", of: ({ value }) => value ?? undefined },
          { title: "SOURCE", of: ({ source, file }) => file ?? source },
        ],
        shown,
      ),
  });
  reportFaults(environment);
}

function reportFaults(environment: Environment): void {
  const faults = configFaults(environment.env);
  if (faults.length === 0) return;
  for (const fault of faults) {
    print(environment.stderr, faultLine(environment, "invalid_argument", fault));
  }
  throw new CommandError(
    "invalid_argument",
    `found ${plural(faults.length, "fault")} in the settings`,
  );
}

/** Prints a line for the ACL file of Redis. @throws CommandError if the name is invalid, or the file is not readable or empty */
export async function redisAcl(
  environment: Environment,
  { user, passwordFile }: { readonly user: string; readonly passwordFile?: string },
): Promise<void> {
  if (!/^\S+$/.test(user)) throw usageError("--user: must be a name without white space");
  const line = aclLine(user, passwordFile === undefined ? undefined : await read(passwordFile));
  await printResult(environment, {
    json: () => JSON.stringify({ user, line }),
    text: () => line,
  });
}

/** Reads a password. Like the service, it ignores a line break at the end. @throws CommandError if it is empty */
async function read(path: string): Promise<string> {
  const password = (await readText(path)).replace(/\r?\n$/, "");
  // With the hash of an empty password, everyone could log in.
  if (password === "") throw usageError(`${path}: is empty. Write the password to it`);
  return password;
}
