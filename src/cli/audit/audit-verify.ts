import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type ChainCheck, createChainCheck } from "../../audit/chain-check.ts";
import { CommandError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { fileNames } from "../follow/line-files.ts";
import { readLines } from "../items/import/lines.ts";
import { fileError } from "../output/file-format.ts";
import { printResult } from "../output/output.ts";
import { withSession } from "../session/session.ts";
import { auditLines, parseAuditLine, readAfter, type TrailService } from "./audit-lines.ts";

/** A trail that was verified. */
interface Verified {
  readonly oldest: number;
  readonly newest: number;
  /** The hash of the newest entry. */
  readonly hash: string;
}

/** Most entries of one read. */
const pageSize = 100;

/**
 * Checks the hash chain of the audit trail, or of a copy in files.
 *
 * @throws CommandError that names the first entry that was changed, removed, inserted or moved: exit code 1
 */
export async function verifyTrail(
  environment: Environment,
  options: { readonly file?: string },
): Promise<void> {
  const { file } = options;
  const { oldest, newest, hash } = await (file === undefined
    ? withSession(environment, {}, ({ admin }) => verifyService(admin))
    : verifyFiles(file));
  const count = newest - oldest + 1;
  await printResult(environment, {
    json: () => JSON.stringify({ entries: count, oldest, newest, hash }),
    text: () =>
      count === 0
        ? "verified an audit trail without entries"
        : `verified the entries ${oldest} to ${newest} of the audit trail. The hash of the last one is ${hash}`,
  });
}

async function verifyService(service: TrailService): Promise<Verified> {
  const first = await readAfter(service, 0n, 1);
  const { oldest } = first.ends;
  const check = createChainCheck(oldest, first.ends.anchor);
  for (;;) {
    const { entries, ends } = await readAfter(service, BigInt(check.sequence), pageSize);
    if (ends.oldest > check.sequence + 1) {
      throw new CommandError(
        "aborted",
        "Entries were removed because of AUDIT_LENGTH before they were read. Run the command again.",
      );
    }
    for (const entry of entries) report(check.add(entry));
    if (entries.length < pageSize) {
      report(check.end(ends));
      return { oldest, newest: check.sequence, hash: check.hash };
    }
  }
}

async function verifyFiles(path: string): Promise<Verified> {
  try {
    const paths = (await stat(path)).isDirectory()
      ? (await fileNames(path, auditLines)).map((name) => join(path, name))
      : [path];
    return await verifyLines(paths);
  } catch (error) {
    throw fileError(path, error);
  }
}

async function verifyLines(paths: readonly string[]): Promise<Verified> {
  let check: ChainCheck | undefined;
  let oldest = 0;
  for (const path of paths) {
    for await (const { number, bytes } of readLines(createReadStream(path))) {
      const text = bytes?.toString() ?? "";
      // The entries after a gap show that others are missing.
      if (text.startsWith('{"gap":')) continue;
      const entry = parseAuditLine(text);
      if (!entry) throw broken(`${path}: line ${number} is not an entry of the audit trail`);
      check ??= createChainCheck(entry.sequence, entry.previous);
      oldest ||= entry.sequence;
      const problem = check.add(entry);
      if (problem) throw broken(`${path}: line ${number}: ${problem}`);
    }
  }
  if (!check) throw new CommandError("not_found", "There are no entries of the audit trail.");
  return { oldest, newest: check.sequence, hash: check.hash };
}

function report(problem: string | undefined): void {
  if (problem) throw broken(problem);
}

function broken(problem: string): CommandError {
  return new CommandError("data_loss", `The audit trail is broken: ${problem}.`);
}
