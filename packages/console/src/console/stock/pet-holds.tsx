import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { AccountHold } from "../../../../../gen/admin/v1/admin_pb.ts";
import { AccountName } from "../operator/links.tsx";
import { admin, inventory, store } from "../shared/api.ts";
import { PagedTable } from "../shared/paged-table.tsx";
import { hasScope, session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import type { Column } from "../shared/table.tsx";
import { useLiveMs } from "../shared/use-live.ts";
import { usePages } from "../shared/use-pages.ts";
import { useQuery } from "../shared/use-query.ts";
import { countText, numberText } from "../text/number-text.ts";
import { durationText } from "../text/time-text.ts";
import { useNow } from "../text/use-now.ts";
import type { Item } from "./item.ts";

/** The held units of a pet, and the holds that have them, as far as the key may see them. */
export function PetHolds({ item: { petId } }: { item: Item }) {
  const current = useStore(session);
  const isOperator = current.identity !== undefined && hasScope(current, "admin");
  const everyMs = useLiveMs();
  const level = useQuery(
    async (signal) => {
      const { levels } = await inventory.listStockLevels({ petIds: [petId] }, { signal });
      return levels[0];
    },
    [petId],
    everyMs,
  );
  const { held = 0, onHand = 0, quantity: forSale = 0 } = level.data ?? {};
  if (held === 0) return null;
  return (
    <section class="part" aria-label="Holds">
      <h2>Holds</h2>
      <p>
        {countText(held, "unit")} held. {numberText(onHand)} on the shelf, of which{" "}
        {numberText(forSale)} for sale.
      </p>
      {(isOperator || hasScope(current, "store:read")) && (
        <Holds key={held} petId={petId} isOperator={isOperator} />
      )}
    </section>
  );
}

function Holds({ petId, isOperator }: { petId: bigint; isOperator: boolean }) {
  const nowMs = useNow();
  const pages = usePages<Row>(
    async (pageToken, signal) => {
      const request = { petId, pageToken };
      if (isOperator) {
        const page = await admin.listHolds(request, { signal });
        return { rows: page.holds, nextPageToken: page.nextPageToken };
      }
      const { holds, nextPageToken } = await store.listHolds(request, { signal });
      return { rows: holds.map((hold) => ({ accountId: "", hold })), nextPageToken };
    },
    [petId, isOperator],
  );
  return (
    <PagedTable
      pages={pages}
      caption="Holds of the pet"
      columns={[holdColumn, ...(isOperator ? [accountColumn] : []), ...unitColumns(petId, nowMs)]}
      rowKey={({ accountId, hold }) => `${accountId} ${hold?.holdId}`}
      empty="The holds are those of other accounts."
      isCards
    />
  );
}

type Row = Pick<AccountHold, "accountId" | "hold">;

const holdColumn: Column<Row> = { title: "Hold", cell: (row) => <HoldLink {...row} /> };

const accountColumn: Column<Row> = {
  title: "Account",
  cell: ({ accountId }) => <AccountName accountId={accountId} />,
};

function unitColumns(petId: bigint, nowMs: number): Column<Row>[] {
  return [
    {
      title: "Units",
      cell: ({ hold }) =>
        numberText(hold?.items.find((item) => item.petId === petId)?.quantity ?? 0),
      isNumber: true,
    },
    {
      title: "Expires in",
      cell: ({ hold }) =>
        hold?.expiresAt && (
          <span class="countdown">{durationText(timestampMs(hold.expiresAt) - nowMs)}</span>
        ),
    },
  ];
}

function HoldLink({ accountId, hold }: Row) {
  const { identity } = useStore(session);
  const holdId = hold?.holdId ?? "";
  const isOwn = accountId === "" || accountId === identity?.accountId;
  const list = isOwn
    ? `orders/holds?hold=${encodeURIComponent(holdId)}`
    : `operator/holds/${accountId}`;
  return <a href={`#/${list}`}>{holdId}</a>;
}
