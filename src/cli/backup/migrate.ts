import { WrongTypeError } from "../../backup/key-findings.ts";
import { migrate as migrateData } from "../../backup/migrate.ts";
import { repairTrail } from "../../backup/stock-findings.ts";
import { CommandError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { interrupted, interruptible } from "../interruption.ts";
import { plural, printResult } from "../output/output.ts";
import { createProgressBar, type ProgressBar } from "../output/progress-bar.ts";
import { print } from "../output/terminal.ts";
import { withConnection } from "../session/session.ts";
import { recordCommand } from "./record-command.ts";

const trailRepaired =
  "the ends of the audit trail were lost or damaged, and were written again: compare its newest entry with your copy of the trail";

/**
 * Migrates the data in Redis to the format of this version.
 *
 * @throws CommandError if the data is of a newer format, if Redis fails, or if the command is interrupted
 */
export async function migrate(
  environment: Environment,
  options: { readonly dryRun?: true },
): Promise<void> {
  const dryRun = options.dryRun === true;
  let bar: ProgressBar | undefined;
  const result = await withConnection(environment, (connection) =>
    interruptible(async (signal) => {
      const work = () =>
        migrateData(connection, {
          dryRun,
          begin(accounts) {
            bar = createProgressBar(environment, "migrating", accounts);
          },
          advance: (accounts) => bar?.advance(accounts),
          repairing(problem) {
            bar?.clear();
            if (environment.format !== "json") print(environment.stderr, `${problem}\n`);
          },
          signal,
        }).catch((error: unknown) => {
          // The audit trail gets the code of this error.
          throw signal.aborted
            ? interrupted(signal, "Interrupted: run the command again to complete the migration.")
            : error;
        });
      try {
        // With lost or damaged ends, the audit trail cannot have an entry for this command.
        if (!dryRun && (await repairTrail(connection))) {
          print(environment.stderr, `${trailRepaired}\n`);
        }
        return await (dryRun
          ? work()
          : recordCommand(environment, connection, "inventory migrate", {}, work, (migration) => ({
              ...migration,
            })));
      } catch (error) {
        if (error instanceof WrongTypeError) throw new CommandError("data_loss", error.message);
        throw error;
      } finally {
        bar?.clear();
      }
    }),
  );
  const { from, to, removed, repaired } = result;
  const [doing, note] = dryRun
    ? ["would migrate", "; nothing was changed (dry run)"]
    : ["migrated", ""];
  await printResult(environment, {
    json: () => JSON.stringify(result),
    text: () =>
      `${doing} from format ${from} to ${to}: removed ${removed} from the index, repaired ${plural(repaired, "disagreement")}${note}`,
  });
}
