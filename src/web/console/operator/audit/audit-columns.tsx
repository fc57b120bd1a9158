import { type AuditEntry, AuditEntryKindSchema } from "../../../../../gen/admin/v1/admin_pb.ts";
import { enumWord } from "../../../../call/enum-word.ts";
import type { Column } from "../../shared/table.tsx";
import { Time } from "../../text/time.tsx";
import { auditActor, shortMethod } from "./audit-actor.ts";

/** The columns of the audit trail. Each entry can be opened to read its whole body. */
export const auditColumns: readonly Column<AuditEntry>[] = [
  { title: "Entry", cell: ({ sequence }) => String(sequence), isNumber: true },
  { title: "Time", cell: ({ time }) => time && <Time at={time} hasSeconds /> },
  { title: "Kind", cell: ({ kind }) => enumWord(AuditEntryKindSchema, kind) },
  { title: "Actor", cell: (entry) => <code>{auditActor(entry)}</code> },
  { title: "Method", cell: ({ method }) => <span title={method}>{shortMethod(method)}</span> },
  { title: "Targets", cell: ({ targets }) => <Targets targets={targets} /> },
  { title: "Result", cell: ({ code, reason }) => [code, reason].filter(Boolean).join(" ") },
  {
    title: "Body",
    cell: ({ body, sequence }) => (
      <details>
        <summary aria-label={`Show the body of entry ${sequence}`}>Show</summary>
        <pre>{prettyJson(body)}</pre>
      </details>
    ),
  },
];

function Targets({ targets }: { readonly targets: Readonly<Record<string, string>> }) {
  return (
    <div class="targets">
      {Object.entries(targets).map(([kind, id]) => (
        <span key={kind}>
          {kind} <code>{id}</code>
        </span>
      ))}
    </div>
  );
}

/** Indents a JSON text. Returns a text that is not JSON as it is. */
function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
