import type { InventoryChange } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import { type Column, Table } from "../shared/table.tsx";
import { numberText, signedText } from "../text/number-text.ts";
import { Time } from "../text/time.tsx";
import { reasonWord } from "./reasons.ts";

const columns: readonly Column<InventoryChange>[] = [
  { title: "Time", cell: ({ changedAt }) => changedAt && <Time at={changedAt} hasSeconds /> },
  { title: "Change", cell: differenceOf, isNumber: true },
  {
    title: "Quantity",
    cell: ({ quantityAfter: after }) => (after === undefined ? "removed" : numberText(after)),
    isNumber: true,
  },
  { title: "Reason", cell: ({ reason }) => reasonWord(reason) },
];

/** Only some changes have these, and only some readers see them, so a column without a value is left out. */
const optionalColumns: readonly (Column<InventoryChange> & {
  has(change: InventoryChange): boolean;
})[] = [
  {
    title: "Changed by",
    cell: (change) => <ChangedBy change={change} />,
    has: ({ accountId, keyId }) => accountId !== "" || keyId !== "",
  },
  {
    title: "Reference",
    cell: ({ reference }) => reference,
    has: ({ reference }) => reference !== "",
  },
  { title: "Note", cell: ({ note }) => note, isText: true, has: ({ note }) => note !== "" },
];

function ChangedBy({ change: { accountId, keyId } }: { change: InventoryChange }) {
  const { identity } = useStore(session);
  const isOwn = accountId === identity?.accountId;
  return (
    <div class="name-and-id">
      <span>{isOwn ? identity?.accountName : accountId}</span>
      {keyId && (
        <code title="The id of the API key">
          {keyId}
          {keyId === identity?.keyId && " (this key)"}
        </code>
      )}
    </div>
  );
}

/** The changes of a pet as a table. */
export function HistoryList(props: { changes: readonly InventoryChange[]; isLoading: boolean }) {
  const shown = optionalColumns.filter(({ has }) => props.changes.some(has));
  return (
    <Table
      caption="Changes, newest first"
      columns={[...columns, ...shown]}
      rows={props.changes}
      rowKey={({ version }) => String(version)}
      empty={props.isLoading ? "Loading the history…" : "The history has no changes of this pet."}
    />
  );
}

function differenceOf({ quantityBefore, quantityAfter }: InventoryChange): string {
  if (quantityBefore === undefined || quantityAfter === undefined) return "";
  return signedText(quantityAfter - quantityBefore);
}
