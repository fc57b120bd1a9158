import { WrongTypeError } from "../../backup/check-keys.ts";
import type { Found } from "../../backup/finding.ts";
import { verifyData } from "../../backup/verify-data.ts";
import { openFormat } from "../../stores/redis/format.ts";
import { CommandError, usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { interrupted, interruptible } from "../interruption.ts";
import { faultLine, plural, printResult } from "../output/output.ts";
import { print } from "../output/terminal.ts";
import { withConnection } from "../session/session.ts";
import { countsText, snapshotWithBar } from "./backup.ts";
import { verifyBackup, withBackup } from "./backup-source.ts";
import { recordCommand } from "./record-command.ts";

/**
 * Checks whether the data agrees, in Redis or in a backup. Prints a line for each disagreement on standard error.
 *
 * @throws CommandError if there are disagreements that are not repaired, or if the data cannot be read
 */
export async function verify(
  environment: Environment,
  path: string | undefined,
  options: { readonly repair?: true },
): Promise<void> {
  if (path !== undefined && options.repair) {
    throw usageError("--repair needs the data in Redis: leave out the file");
  }
  let [problems, repaired] = [0, 0];
  const { stderr } = environment;
  const printLine = (line: string) => print(stderr, faultLine(environment, "data_loss", line));
  const report = (problem: string) => {
    problems += 1;
    printLine(problem);
  };
  const found: Found = async (problem, repair) => {
    if (!repair) return report(problem);
    if (!options.repair) return report(`${problem}: run inventory verify --repair`);
    await repair();
    repaired += 1;
    printLine(`${problem}: repaired`);
  };
  const hint = options.repair ? ": run the command again to complete the repair" : "";
  const interruption = `Interrupted${hint}.`;
  const { counts, newest } = await interruptible(async (signal) => {
    if (path !== undefined) {
      return withBackup(environment, path, (source) =>
        verifyBackup(environment, source, { signal, report }),
      );
    }
    return withConnection(environment, async (connection) => {
      await openFormat(connection);
      const work = () =>
        verifyData(connection, signal, found, (reader, observers) =>
          snapshotWithBar(environment, "verifying", reader, { ...observers, signal }),
        ).catch((error: unknown) => {
          if (error instanceof WrongTypeError) throw new CommandError("data_loss", error.message);
          // The audit trail gets the code of this error.
          throw signal.aborted ? interrupted(signal, interruption) : error;
        });
      if (!options.repair) return work();
      return recordCommand(environment, connection, {
        command: "inventory verify",
        details: { repair: true },
        work,
        returnedBy: () => ({ repaired }),
      });
    });
  }, interruption);
  const [version] = newest.split("-");
  const mended = options.repair ? `, and repaired ${plural(repaired, "other")}` : "";
  if (problems > 0) {
    throw new CommandError(
      "data_loss",
      `found ${plural(problems, "disagreement")} among ${countsText(counts)}${mended}`,
    );
  }
  await printResult(environment, {
    json: () => JSON.stringify({ version, ...counts, ...(options.repair && { repaired }) }),
    text: () =>
      `verified ${countsText(counts)}, as of version ${version}${options.repair ? `: repaired ${plural(repaired, "disagreement")}` : ""}`,
  });
}
