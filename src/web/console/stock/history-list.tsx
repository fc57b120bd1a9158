import { ChangeReason, type InventoryChange } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { type Column, Table } from "../shared/table.tsx";
import { numberText, signedText } from "../text/number-text.ts";
import { Time } from "../text/time.tsx";

const words: ReadonlyMap<ChangeReason, string> = new Map([
  [ChangeReason.ARRIVAL, "arrival"],
  [ChangeReason.RETURN, "return"],
  [ChangeReason.ADJUSTMENT, "adjustment"],
  [ChangeReason.ORDER, "order"],
  [ChangeReason.IMPORT, "import"],
  [ChangeReason.HOLD, "hold"],
  [ChangeReason.HOLD_ENDED, "hold ended"],
]);

const columns: readonly Column<InventoryChange>[] = [
  { title: "Time", cell: ({ changedAt }) => changedAt && <Time at={changedAt} hasSeconds /> },
  { title: "Change", cell: differenceOf, isNumber: true },
  {
    title: "Quantity",
    cell: ({ quantityAfter: after }) => (after === undefined ? "removed" : numberText(after)),
    isNumber: true,
  },
  { title: "Reason", cell: ({ reason }) => words.get(reason) ?? "adjustment" },
  { title: "Note", cell: ({ note }) => note, isText: true },
];

/** The changes of a pet as a table. */
export function HistoryList(props: { changes: readonly InventoryChange[]; isLoading: boolean }) {
  return (
    <Table
      caption="Changes, newest first"
      columns={columns}
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
