import { useState } from "preact/hooks";
import { TopAccountsOrder } from "../../../../../gen/admin/v1/admin_pb.ts";
import { present } from "../../../../call/present.ts";
import { admin } from "../../shared/api.ts";
import { QueryBanner } from "../../shared/error-banner.tsx";
import { SelectField } from "../../shared/field.tsx";
import { serviceNowMs } from "../../shared/service-clock.ts";
import { session } from "../../shared/session.ts";
import { useStore } from "../../shared/store.ts";
import { Table } from "../../shared/table.tsx";
import { useQuery } from "../../shared/use-query.ts";
import { durationText } from "../../text/time-text.ts";
import { useNow } from "../../text/use-now.ts";
import { pollIntervalMs } from "../../usage/poll-interval.ts";
import { topColumns } from "./top-columns.tsx";

const accountsShown = 50;

const refusedFirst = String(TopAccountsOrder.REFUSED);

/** The limits of the smallest plan, until those of the own account are known. */
const smallestLimits = { perMinute: 60, perDay: 1_000 };

/** The busiest accounts of today, or those with the most refused requests. */
export function TopSection() {
  const [order, setOrder] = useState<TopAccountsOrder>(TopAccountsOrder.REQUESTS);
  const now = useNow();
  const [openedAt] = useState(() => serviceNowMs());
  const limits = useStore(session).identity?.limits ?? smallestLimits;
  const everyMs = pollIntervalMs(limits, now - openedAt);
  const top = useQuery(
    (signal) => admin.listTopAccounts({ pageSize: accountsShown, order }, { signal }),
    [order],
    everyMs,
  );
  return (
    <>
      <header class="part-header">
        <h2>Busiest accounts of today (UTC)</h2>
        <p class="muted">
          Updated every {durationText(everyMs)}. Each update counts as one request.
        </p>
        <div class="filter">
          <SelectField
            label="Most"
            name="order"
            value={String(order)}
            options={[
              [String(TopAccountsOrder.REQUESTS), "requests"],
              [refusedFirst, "refused requests"],
            ]}
            onChange={(value) =>
              setOrder(
                value === refusedFirst ? TopAccountsOrder.REFUSED : TopAccountsOrder.REQUESTS,
              )
            }
          />
        </div>
      </header>
      <QueryBanner query={top} />
      {top.data && (
        <Table
          caption="Busiest accounts of today"
          columns={topColumns(now)}
          rows={top.data.accounts}
          rowKey={({ account }) => present(account, "the account of a row").accountId}
          empty="There were no such requests today."
        />
      )}
    </>
  );
}
