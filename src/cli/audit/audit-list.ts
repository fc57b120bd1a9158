import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type AuditEntry, AuditEntryKind } from "../../../gen/admin/v1/admin_pb.ts";
import { usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { isoTime, jsonArray, printResult } from "../output/output.ts";
import { type Column, table } from "../output/table.ts";
import { allPages, smallPage, withSession } from "../session/session.ts";
import { auditLine, storedEntry } from "./audit-lines.ts";

/** Options of `audit list`. */
interface ListOptions {
  /** Milliseconds since the epoch. */
  readonly after?: number;
  /** Milliseconds since the epoch. */
  readonly before?: number;
  readonly actor?: string;
  readonly method?: string;
  readonly limit: number;
}

const sources = { actor: "--actor", method: "--method" };

/** Prints the newest entries of the audit trail. @throws CommandError */
export async function listTrail(environment: Environment, options: ListOptions): Promise<void> {
  const { after, before, actor = "", method = "", limit } = options;
  if (after !== undefined && before !== undefined && after >= before) {
    throw usageError(
      `--before: must be later than --after: it is ${isoTime(before)}, and --after is ${isoTime(after)}`,
    );
  }
  const request = {
    actor,
    method,
    ...(after !== undefined && { startTime: timestampFromMs(after) }),
    ...(before !== undefined && { endTime: timestampFromMs(before) }),
  };
  const entries = await withSession(environment, sources, ({ admin }) =>
    allPages(
      environment,
      limit,
      (page) => admin.listAuditEntries({ ...request, ...page }),
      (page) => page.entries,
      smallPage.auditEntries,
    ),
  );
  await printResult(environment, {
    json: () => jsonArray(entries.map((entry) => auditLine(storedEntry(entry)).text)),
    text: () => table(columns, rowsOf(entries)),
  });
}

const columns: readonly (Column | string)[] = [
  { title: "ENTRY", isNumber: true, isExtra: true },
  "TIME",
  { title: "ACTOR", least: 8 },
  "METHOD",
  { title: "TARGETS", least: 24 },
  { title: "RESULT", least: 8 },
];

/** Returns a row for each call. An entry before a change is part of the row of its result. */
function rowsOf(entries: readonly AuditEntry[]): string[][] {
  const ended = new Set(entries.map(({ beginSequence }) => beginSequence));
  return entries
    .filter(({ sequence }) => !ended.has(sequence))
    .map((entry) => [
      String(entry.sequence),
      isoTime(storedEntry(entry).time),
      entry.operator || entry.keyId,
      entry.method.replace(/^.*\//, ""),
      Object.entries(entry.targets)
        .map(([name, id]) => `${name} ${id}`)
        .join(", "),
      resultText(entry),
    ]);
}

function resultText({ kind, code, reason }: AuditEntry): string {
  if (kind === AuditEntryKind.BEGIN) return "no result";
  return reason === "" ? code : `${code} ${reason}`;
}
