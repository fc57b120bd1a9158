import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Hold, ReleaseHoldRequestSchema } from "../../../../../gen/store/v1/store_pb.ts";
import { actionColumn } from "../shared/action-column.tsx";
import { store } from "../shared/api.ts";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { PagedTable } from "../shared/paged-table.tsx";
import { hasScope, session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import type { Column } from "../shared/table.tsx";
import { useDialog } from "../shared/use-dialog.ts";
import { usePages } from "../shared/use-pages.ts";
import { durationText, utcText } from "../text/time-text.ts";
import { useNow } from "../text/use-now.ts";
import { HoldContents, unitsText } from "./hold-contents.tsx";

/** The active holds of the account, those that began last first. A hold that expires disappears. */
export function HoldsSection() {
  const mayWrite = hasScope(useStore(session), "store:write");
  const pages = usePages(async (pageToken, signal) => {
    const { holds, nextPageToken } = await store.listHolds({ pageToken }, { signal });
    return { rows: holds, nextPageToken };
  }, []);
  const nowMs = useNow();
  const dialog = useDialog();
  const onRelease = (hold: Hold) =>
    dialog.open(<ReleaseDialog hold={hold} onClose={dialog.close} onDone={pages.first.reload} />);
  return (
    <>
      <header class="part-header">
        <h2>Active holds</h2>
        <button type="button" disabled={pages.first.isLoading} onClick={pages.first.reload}>
          Update now
        </button>
      </header>
      <PagedTable
        pages={{ ...pages, rows: pages.rows.filter((hold) => leftMs(hold, nowMs) > 0) }}
        caption="Active holds"
        columns={holdColumns(nowMs, mayWrite ? onRelease : undefined)}
        rowKey={({ holdId }) => holdId}
        empty="The account has no active holds."
      />
      {dialog.shown}
    </>
  );
}

function leftMs({ expiresAt }: Hold, nowMs: number): number {
  return (expiresAt ? timestampMs(expiresAt) : 0) - nowMs;
}

function holdColumns(nowMs: number, onRelease?: (hold: Hold) => void): Column<Hold>[] {
  const columns: Column<Hold>[] = [
    { title: "Hold", cell: ({ holdId }) => holdId },
    { title: "Contents", cell: ({ items }) => <HoldContents items={items} /> },
    {
      title: "Expires in",
      cell: (hold) => (
        <span class="countdown" title={hold.expiresAt && utcText(hold.expiresAt)}>
          {durationText(leftMs(hold, nowMs))}
        </span>
      ),
    },
  ];
  if (!onRelease) return columns;
  const release = actionColumn((hold: Hold) => [
    { name: "Release", target: `hold ${hold.holdId}`, run: () => onRelease(hold) },
  ]);
  return [...columns, release];
}

function ReleaseDialog(props: { hold: Hold; onClose(): void; onDone(): void }) {
  const { hold, onClose, onDone } = props;
  const { holdId, items } = hold;
  return (
    <ConfirmDialog
      title={`Release hold ${holdId}?`}
      schema={ReleaseHoldRequestSchema}
      request={{ holdId }}
      send={(request) => store.releaseHold(request)}
      success={`Hold ${holdId} is released.`}
      submit="Release the hold"
      isDangerous
      onClose={onClose}
      onDone={onDone}
    >
      <p>This puts {unitsText(items)} back into stock.</p>
    </ConfirmDialog>
  );
}
