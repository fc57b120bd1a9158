import { configFaults } from "../../config/config.ts";
import { effectiveSettings } from "../../config/effective.ts";
import { plural } from "../backup/backup.ts";
import { CommandError } from "../command-error.ts";
import type { CommonOptions } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { errorLine, printResult, table } from "../output/output.ts";

/** Checks all settings. Prints a line for each fault on standard error. @throws CommandError if there are faults */
export async function checkConfig(environment: Environment, options: CommonOptions): Promise<void> {
  reportFaults(environment, options);
  await printResult(environment, options, {
    json: () => JSON.stringify({ valid: true }),
    text: () => "all settings are valid",
  });
}

/** Prints all settings, without secrets. @throws CommandError if there are faults, after the settings are printed */
export async function showConfig(environment: Environment, options: CommonOptions): Promise<void> {
  const shown = effectiveSettings(environment.env);
  await printResult(environment, options, {
    json: () => JSON.stringify(shown),
    text: () =>
      table(
        ["NAME", "VALUE", "SOURCE"],
        shown.map(({ name, value, source, file }) => [name, value ?? "", file ?? source]),
      ),
  });
  reportFaults(environment, options);
}

function reportFaults({ env, stderr }: Environment, { json }: CommonOptions): void {
  const faults = configFaults(env);
  if (faults.length === 0) return;
  for (const fault of faults) {
    stderr.write(json ? errorLine("invalid_argument", fault, true) : `${fault}\n`);
  }
  throw new CommandError(
    "invalid_argument",
    `found ${plural(faults.length, "fault")} in the settings`,
  );
}
