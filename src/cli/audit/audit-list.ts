import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type AuditEntry, AuditEntryKind } from "../../../gen/admin/v1/admin_pb.ts";
import { usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { isoTime, jsonArray, printResult } from "../output/output.ts";
import { type Column, table } from "../output/table.ts";
import { allPages, smallPage, withSession } from "../session/session.ts";
import { entryLine, storedEntry } from "./audit-lines.ts";

interface ListOptions {
  /** Milliseconds since the epoch. */
  readonly after?: number;
  /** Milliseconds since the epoch. */
  readonly before?: number;
  readonly actor?: string;
  readonly method?: string;
}

/** Prints the newest entries of the audit trail. @throws CommandError */
export async function listTrail(environment: Environment, options: ListOptions): Promise<void> {
  const { after, before, actor = "", method = "" } = options;
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
  const entries = await withSession(environment, ({ admin }) =>
    allPages(
      environment,
      (page) => admin.listAuditEntries({ ...request, ...page }),
      (page) => page.entries,
      smallPage.auditEntries,
    ),
  );
  await printResult(environment, {
    json: () => jsonArray(entries.map((entry) => entryLine(storedEntry(entry)))),
    text: () => table(columns, lastOfCalls(entries)),
  });
}

const columns: readonly Column<AuditEntry>[] = [
  { title: "ENTRY", of: ({ sequence }) => sequence, isNumber: true, isExtra: true },
  { title: "TIME", of: (entry) => isoTime(storedEntry(entry).time) },
  { title: "ACTOR", of: ({ operator, keyId }) => operator || keyId, least: 8 },
  { title: "METHOD", of: ({ method }) => method.replace(/^.*\//, "") },
  { title: "TARGETS", of: targetsText, least: 24 },
  { title: "RESULT", of: resultText, least: 8 },
];

/** Returns an entry for each call. An entry before a change is part of the row of its result. */
function lastOfCalls(entries: readonly AuditEntry[]): AuditEntry[] {
  const ended = new Set(entries.map(({ beginSequence }) => beginSequence));
  return entries.filter(({ sequence }) => !ended.has(sequence));
}

function targetsText({ targets }: AuditEntry): string {
  return Object.entries(targets)
    .map(([name, id]) => `${name} ${id}`)
    .join(", ");
}

function resultText({ kind, code, reason }: AuditEntry): string {
  if (kind === AuditEntryKind.BEGIN) return "no result";
  return reason === "" ? code : `${code} ${reason}`;
}
