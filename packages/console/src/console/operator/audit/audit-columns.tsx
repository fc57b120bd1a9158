import { type AuditEntry, AuditEntryKind } from "../../../../../../gen/admin/v1/admin_pb.ts";
import type { Column } from "../../shared/table.tsx";
import { Time } from "../../text/time.tsx";
import { AccountName } from "../links.tsx";
import { shortMethod } from "./audit-entry.ts";

/** The columns of the audit trail. Each entry can be opened to read its whole body. */
export const auditColumns: readonly Column<AuditEntry>[] = [
  { title: "Entry", cell: ({ sequence }) => String(sequence), isNumber: true },
  { title: "Time", cell: ({ time }) => time && <Time at={time} hasSeconds /> },
  { title: "Actor", cell: (entry) => <Actor entry={entry} /> },
  { title: "Method", cell: ({ method }) => <span title={method}>{shortMethod(method)}</span> },
  { title: "Targets", cell: ({ targets }) => <Targets targets={targets} /> },
  { title: "Result", cell: (entry) => <Result entry={entry} /> },
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

/** The user of a command, or the account and the key of a call. Nobody for counted refusals. */
function Actor({ entry }: { readonly entry: AuditEntry }) {
  const { operator, accountId, keyId } = entry;
  if (operator) return <code>{operator}</code>;
  if (!accountId) return null;
  return (
    <>
      <AccountName accountId={accountId} />
      <Id kind="key" id={keyId} />
    </>
  );
}

function Targets({ targets }: { readonly targets: Readonly<Record<string, string>> }) {
  const { account, ...others } = targets;
  return (
    <>
      {account && <AccountName accountId={account} />}
      {Object.entries(others).map(([kind, id]) => (
        <Id key={kind} kind={kind} id={id} />
      ))}
    </>
  );
}

function Id({ kind, id }: { readonly kind: string; readonly id: string }) {
  return (
    <div>
      {kind} <code>{id}</code>
    </div>
  );
}

function Result({ entry: { kind, code, reason } }: { readonly entry: AuditEntry }) {
  if (kind === AuditEntryKind.BEGIN) return <span class="badge badge-warning">no result</span>;
  return (
    <>
      {code} {reason && <span class="detail">{reason}</span>}
    </>
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
