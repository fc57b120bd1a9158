import {
  ChangeReason,
  type InventoryChange,
  type PetStatus,
} from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { PetLink } from "../pets/pet-link.tsx";
import { Ellipsis } from "../shared/ellipsis.tsx";
import { session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import { type Column, Table } from "../shared/table.tsx";
import { statusWord } from "../stock/item.ts";
import { reasonWord } from "../stock/reasons.ts";
import { numberText, signedText } from "../text/number-text.ts";
import { Time } from "../text/time.tsx";
import { ChangedBy } from "./changed-by.tsx";

/** A change, and the status of its pet before it, if that is known. */
export interface ChangeRow {
  readonly change: InventoryChange;
  readonly statusBefore: PetStatus | undefined;
}

/** Returns the rows of changes, newest first. The change before one of a pet has the status before it. */
export function changeRows(changes: readonly InventoryChange[]): ChangeRow[] {
  const last = new Map<bigint, PetStatus>();
  return changes
    .toReversed()
    .map((change) => {
      const statusBefore = change.quantityBefore === undefined ? undefined : last.get(change.petId);
      if (change.status === undefined) last.delete(change.petId);
      else last.set(change.petId, change.status);
      return { change, statusBefore };
    })
    .reverse();
}

const timeColumn: Column<ChangeRow> = {
  title: "Time",
  cell: ({ change: { changedAt } }) => changedAt && <Time at={changedAt} hasSeconds />,
};

const petColumn: Column<ChangeRow> = {
  title: "Pet",
  cell: ({ change }) => <PetLink petId={change.petId} />,
};

const columns: readonly Column<ChangeRow>[] = [
  { title: "Change", cell: (row) => <What {...row} /> },
  {
    title: "Quantity",
    cell: ({ change: { quantityAfter: after } }) => (after === undefined ? "" : numberText(after)),
    isNumber: true,
  },
  { title: "Reason", cell: ({ change }) => reasonWord(change.reason) },
];

/** Only some changes have these, and only some readers see them, so a column without a value is left out. */
const optionalColumns: readonly (Column<ChangeRow> & { has(change: InventoryChange): boolean })[] =
  [
    {
      title: "Changed by",
      cell: ({ change }) => <ChangedBy change={change} />,
      has: ({ accountId, keyId }) => accountId !== "" || keyId !== "",
    },
    {
      title: "Reference",
      cell: ({ change }) => <Reference change={change} />,
      has: ({ reference }) => reference !== "",
    },
    {
      title: "Note",
      cell: ({ change }) => change.note,
      isText: true,
      has: ({ note }) => note !== "",
    },
  ];

/** Whether a change has given a pet another status. If the status before is not known, the quantity says so. */
export function isNewStatus({ change, statusBefore }: ChangeRow): boolean {
  const { quantityBefore: before, quantityAfter: after, status, reason } = change;
  if (before === undefined || after === undefined) return false;
  if (statusBefore !== undefined) return statusBefore !== status;
  return before === after && reason === ChangeReason.ADJUSTMENT;
}

/** The difference of the quantity, and the new status if it is another one. */
function What({ change, statusBefore }: ChangeRow) {
  const { quantityBefore: before, quantityAfter: after, status } = change;
  const hasNewStatus = isNewStatus({ change, statusBefore });
  if (after === undefined || status === undefined) return "removed";
  if (before === undefined) {
    return (
      <>
        added <span class="badge">{statusWord(status)}</span>
      </>
    );
  }
  return (
    <>
      {(before !== after || !hasNewStatus) && signedText(after - before)}{" "}
      {hasNewStatus && (
        <>
          {statusBefore !== undefined && (
            <>
              <span class="badge">{statusWord(statusBefore)}</span> →{" "}
            </>
          )}
          <span class="badge">{statusWord(status)}</span>
        </>
      )}
    </>
  );
}

/** The reference of a change. That of the account's own order or hold leads to it. */
function Reference({ change: { reason, reference, accountId } }: { change: InventoryChange }) {
  const { identity } = useStore(session);
  const isOwn = accountId === identity?.accountId && identity.scopes.has("store:read");
  const isHold = reason === ChangeReason.HOLD || reason === ChangeReason.HOLD_ENDED;
  if (reference === "" || !isOwn || !(isHold || reason === ChangeReason.ORDER)) {
    return reference && <Ellipsis text={reference} />;
  }
  const list = isHold ? "holds?hold" : "placed?order";
  return <Ellipsis text={reference} href={`#/orders/${list}=${encodeURIComponent(reference)}`} />;
}

/** Returns the columns of changes. A column without a value in any row is left out. */
export function changeColumns(
  rows: readonly ChangeRow[],
  of: "of all pets" | "of one pet",
): Column<ChangeRow>[] {
  const shown = optionalColumns.filter(({ has }) => rows.some(({ change }) => has(change)));
  return [timeColumn, ...(of === "of all pets" ? [petColumn] : []), ...columns, ...shown];
}

/** The changes of a pet as a table. */
export function ChangeList({ rows, empty }: { rows: readonly ChangeRow[]; empty: string }) {
  return (
    <Table
      caption="Changes, newest first"
      columns={changeColumns(rows, "of one pet")}
      rows={rows}
      rowKey={({ change }) => String(change.version)}
      empty={empty}
      isCards
    />
  );
}
