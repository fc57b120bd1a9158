import type { KeyUsage } from "../../../../../gen/usage/v1/usage_pb.ts";
import { type Column, Table } from "../shared/table.tsx";
import { KeyBadge } from "../text/key-badge.tsx";
import { numberText } from "../text/number-text.ts";
import { Time } from "../text/time.tsx";
import type { UsagePoint } from "./outcomes.ts";

interface Props {
  readonly keys: readonly KeyUsage[];
  /** The id of the key that the reader has signed in with. */
  readonly ownKeyId?: string | undefined;
  /** Today's requests by key id. */
  readonly today: ReadonlyMap<string, UsagePoint["counts"]>;
  readonly nowMs: number;
}

/** Shows the keys of an account: last use, requests of today, and whether they are valid. */
export function KeyUses({ keys, ownKeyId, today, nowMs }: Props) {
  const columns: Column<KeyUsage>[] = [
    {
      title: "Key",
      cell: ({ name, keyId }) => (
        <div class="name-and-id">
          <span>
            {name || "unnamed"} {keyId === ownKeyId && <span class="badge">this key</span>}
          </span>
          <code>{keyId}</code>
        </div>
      ),
    },
    { title: "State", cell: (key) => <KeyBadge value={key} nowMs={nowMs} /> },
    {
      title: "Last use",
      cell: (key) => (key.lastUsedAt ? <Time at={key.lastUsedAt} agoAtMs={nowMs} /> : "never"),
    },
    {
      title: "Admitted today",
      cell: ({ keyId }) => numberText(today.get(keyId)?.admitted ?? 0),
      isNumber: true,
    },
    {
      title: "Refused today",
      cell: ({ keyId }) => {
        const counts = today.get(keyId);
        return numberText((counts?.limited ?? 0) + (counts?.banned ?? 0));
      },
      isNumber: true,
    },
  ];
  return (
    <Table
      caption="Keys of the account"
      columns={columns}
      rows={keys}
      rowKey={({ keyId }) => keyId}
      empty="The account has no keys."
    />
  );
}
