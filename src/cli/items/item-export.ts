import { usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { interruptible } from "../interruption.ts";
import { type FileFormat, fileError, formatOf, standardStream } from "../output/file-format.ts";
import { printResult, textIn } from "../output/output.ts";
import { replaceFile } from "../output/replace-file.ts";
import { write } from "../output/terminal.ts";
import { entriesFor, listResult } from "../session/kinds.ts";
import { withSession } from "../session/session.ts";
import { refuseOtherOutput } from "./import/file-kind.ts";
import { kind } from "./items.ts";

/**
 * Writes all items in a format that can be imported: to a file as a whole, or to standard output (`-` or no path).
 *
 * @throws CommandError, or Error if standard output cannot be written
 */
export async function exportItems(
  environment: Environment,
  path: string | undefined,
  { format: option }: { readonly format?: FileFormat },
): Promise<void> {
  if (path !== undefined && path !== standardStream) {
    refuseOtherOutput(path);
    return exportToFile(environment, path, formatOf(path, option));
  }
  if (option) {
    throw usageError("--format: is the format of a file. For standard output, use --output");
  }
  const { format = "table", stdout } = environment;
  const { result } = await allItems(environment);
  await write(stdout, textIn(format === "table" ? "csv" : format, result));
}

async function exportToFile(
  environment: Environment,
  path: string,
  format: FileFormat,
): Promise<void> {
  const { result, count } = await allItems(environment);
  await interruptible(
    (signal) => replaceFile(path, [textIn(format, result)], signal),
    `Interrupted: ${path} was not written.`,
  ).catch((error: unknown) => {
    throw fileError(path, error);
  });
  await printResult(environment, {
    json: () => JSON.stringify({ exported: count, file: path }),
    text: () => `exported ${count} to ${path}`,
  });
}

async function allItems(environment: Environment) {
  return withSession(environment, async (session) => {
    const { items } = await session.inventory.listInventory({});
    const entries = await entriesFor(session, {}, kind, items);
    return { count: items.length, result: listResult(kind, items, entries) };
  });
}
