import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { AccountHold } from "../../../../../../gen/admin/v1/admin_pb.ts";
import { type Hold, HoldState } from "../../../../../../gen/store/v1/store_pb.ts";
import { actionColumn } from "../../shared/action-column.tsx";
import { Ellipsis } from "../../shared/ellipsis.tsx";
import type { Column } from "../../shared/table.tsx";
import { HoldContents } from "../../store/hold-contents.tsx";
import { HoldBadge } from "../../text/hold-badge.tsx";
import { Time } from "../../text/time.tsx";
import { durationText } from "../../text/time-text.ts";
import { AccountName } from "../links.tsx";

/** The columns of a list of holds of all accounts. */
export function holdColumns(
  nowMs: number,
  onRelease: (row: AccountHold) => void,
): Column<AccountHold>[] {
  return [
    { title: "Hold", cell: ({ hold }) => hold && <Ellipsis text={hold.holdId} /> },
    { title: "Account", cell: ({ accountId }) => <AccountName accountId={accountId} /> },
    { title: "Contents", cell: ({ hold }) => hold && <HoldContents items={hold.items} /> },
    { title: "State", cell: ({ hold }) => hold && <HoldBadge state={hold.state} /> },
    { title: "Expires", cell: ({ hold }) => hold && <Expiry hold={hold} nowMs={nowMs} /> },
    actionColumn((row) =>
      row.hold?.state === HoldState.ACTIVE
        ? [{ name: "Release", target: `hold ${row.hold.holdId}`, run: () => onRelease(row) }]
        : [],
    ),
  ];
}

function Expiry({ hold, nowMs }: { readonly hold: Hold; readonly nowMs: number }) {
  const { expiresAt } = hold;
  if (!expiresAt) return null;
  const left = timestampMs(expiresAt) - nowMs;
  return (
    <>
      <Time at={expiresAt} />
      {hold.state === HoldState.ACTIVE && <span class="detail">in {durationText(left)}</span>}
    </>
  );
}
