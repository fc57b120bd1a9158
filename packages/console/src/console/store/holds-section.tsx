import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Hold, HoldState } from "../../../../../gen/store/v1/store_pb.ts";
import { actionColumn } from "../shared/action-column.tsx";
import { store } from "../shared/api.ts";
import { PagedTable } from "../shared/paged-table.tsx";
import { useRouteQuery } from "../shared/route.ts";
import { hasScope, session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import type { Column } from "../shared/table.tsx";
import { useDialog } from "../shared/use-dialog.ts";
import { useLiveMs } from "../shared/use-live.ts";
import { usePages } from "../shared/use-pages.ts";
import { HoldBadge } from "../text/hold-badge.tsx";
import { durationText, utcText } from "../text/time-text.ts";
import { useNow } from "../text/use-now.ts";
import { HoldContents } from "./hold-contents.tsx";
import { PutHoldDialog } from "./put-hold-dialog.tsx";
import { ReleaseHoldDialog } from "./release-hold-dialog.tsx";

/** The active holds of the account, those that began last first. A hold that expires disappears. */
export function HoldsSection() {
  const mayWrite = hasScope(useStore(session), "store:write");
  const only = useRouteQuery().get("hold");
  const pages = usePages(
    async (pageToken, signal) => {
      if (only) {
        const { hold } = await store.getHold({ holdId: only }, { signal });
        return { rows: hold ? [hold] : [], nextPageToken: "" };
      }
      const { holds, nextPageToken } = await store.listHolds({ pageToken }, { signal });
      return { rows: holds, nextPageToken };
    },
    [only],
    useLiveMs(),
  );
  const nowMs = useNow();
  const dialog = useDialog();
  const actions = {
    onRelease: (hold: Hold) =>
      dialog.open(
        <ReleaseHoldDialog hold={hold} onClose={dialog.close} onDone={pages.first.reload} />,
      ),
    onPut: (hold?: Hold) =>
      dialog.open(<PutHoldDialog hold={hold} onClose={dialog.close} onDone={pages.first.reload} />),
  };
  return (
    <>
      <header class="part-header">
        <h2>{only ? `Hold ${only}` : "Active holds"}</h2>
        {mayWrite && (
          <button type="button" class="button-main" onClick={() => actions.onPut()}>
            Place a hold
          </button>
        )}
      </header>
      {only && <a href="#/orders/holds">Show all active holds</a>}
      <PagedTable
        pages={{ ...pages, rows: pages.rows.filter((hold) => only || leftMs(hold, nowMs) > 0) }}
        caption="Active holds"
        columns={holdColumns(nowMs, mayWrite ? actions : undefined)}
        rowKey={({ holdId }) => holdId}
        empty="The account has no active holds."
        isCards
      />
      {dialog.shown}
    </>
  );
}

function leftMs({ expiresAt }: Hold, nowMs: number): number {
  return (expiresAt ? timestampMs(expiresAt) : 0) - nowMs;
}

function isActive({ state }: Hold): boolean {
  return state === HoldState.ACTIVE;
}

interface Actions {
  onRelease(hold: Hold): void;
  onPut(hold: Hold): void;
}

function holdColumns(nowMs: number, actions?: Actions): Column<Hold>[] {
  const columns: Column<Hold>[] = [
    { title: "Hold", cell: ({ holdId }) => holdId },
    { title: "Contents", cell: ({ items }) => <HoldContents items={items} /> },
    {
      title: "Expires in",
      cell: (hold) =>
        isActive(hold) ? (
          <span class="countdown" title={hold.expiresAt && utcText(hold.expiresAt)}>
            {durationText(leftMs(hold, nowMs))}
          </span>
        ) : (
          <HoldBadge state={hold.state} />
        ),
    },
  ];
  if (!actions) return columns;
  const buttons = actionColumn((hold: Hold) => {
    const target = `hold ${hold.holdId}`;
    if (!isActive(hold)) return [];
    return [
      { name: "Change", target, run: () => actions.onPut(hold) },
      { name: "Release", target, run: () => actions.onRelease(hold) },
    ];
  });
  return [...columns, buttons];
}
