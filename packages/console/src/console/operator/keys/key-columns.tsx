import type { Key } from "../../../../../../gen/admin/v1/admin_pb.ts";
import { actionColumn } from "../../shared/action-column.tsx";
import type { Column } from "../../shared/table.tsx";
import { KeyBadge } from "../../text/key-badge.tsx";
import { Time } from "../../text/time.tsx";
import { AccountName, KeyName } from "../links.tsx";
import { type KeyAction, keyActions } from "./key-actions.ts";

const actionNames: Readonly<Record<KeyAction, string>> = {
  rotate: "Rotate",
  revoke: "Revoke",
  unban: "Unban",
};

/** The columns of a list of keys: scopes, allowed addresses, state, last use, and what can be done with each. */
export function keyColumns(
  nowMs: number,
  onAction: (action: KeyAction, key: Key) => void,
): Column<Key>[] {
  return [
    { title: "Key", cell: ({ name, keyId }) => <KeyName name={name} keyId={keyId} /> },
    { title: "Scopes", cell: ({ scopes }) => <Words words={scopes} /> },
    {
      title: "Allowed addresses",
      cell: ({ allowedAddresses: allowed }) =>
        allowed.length > 0 ? <Words words={allowed} /> : "any",
    },
    { title: "State", cell: (key) => <KeyBadge value={key} nowMs={nowMs} /> },
    {
      title: "Last use",
      cell: (key) => (key.lastUsedAt ? <Time at={key.lastUsedAt} agoAtMs={nowMs} /> : "never"),
    },
    actionColumn((key) =>
      keyActions(key, nowMs).map((action) => ({
        name: actionNames[action],
        target: `key ${key.name || key.keyId}`,
        run: () => onAction(action, key),
      })),
    ),
  ];
}

/** The column of a key's account, for lists of all keys. */
export const keyAccountColumn: Column<Key> = {
  title: "Account",
  cell: ({ accountId }) => <AccountName accountId={accountId} />,
};

function Words({ words }: { readonly words: readonly string[] }) {
  return (
    <div class="scopes">
      {words.map((word) => (
        <code key={word}>{word}</code>
      ))}
    </div>
  );
}
