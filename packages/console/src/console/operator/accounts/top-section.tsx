import { useState } from "preact/hooks";
import { type TopAccount, TopAccountsOrder } from "../../../../../../gen/admin/v1/admin_pb.ts";
import { present } from "../../../../../../src/common/present.ts";
import { admin } from "../../shared/api.ts";
import { QueryBanner } from "../../shared/error-banner.tsx";
import { serviceNowMs } from "../../shared/service-clock.ts";
import { session } from "../../shared/session.ts";
import { useStore } from "../../shared/store.ts";
import { Table } from "../../shared/table.tsx";
import { useQuery } from "../../shared/use-query.ts";
import { durationText } from "../../text/time-text.ts";
import { useNow } from "../../text/use-now.ts";
import { pollIntervalMs } from "../../usage/poll-interval.ts";
import { refusing } from "./limit-state.ts";
import { topColumns } from "./top-columns.tsx";

const accountsShown = 50;

/** The limits of the smallest plan, until those of the own account are known. */
const smallestLimits = { perMinute: 60, perDay: 1_000 };

/** The accounts with the most requests of today. */
export function TopSection() {
  return (
    <TopAccounts
      order={TopAccountsOrder.REQUESTS}
      title="Busiest accounts of today (UTC)"
      empty="There were no requests today."
    />
  );
}

/** The accounts with refused requests of today: those first whose requests are refused now. */
export function LimitedSection() {
  return (
    <TopAccounts
      order={TopAccountsOrder.REFUSED}
      title="Accounts with refused requests today (UTC)"
      empty="No request was refused today."
    />
  );
}

function TopAccounts(props: {
  readonly order: TopAccountsOrder;
  readonly title: string;
  readonly empty: string;
}) {
  const { order, title, empty } = props;
  const now = useNow();
  const [openedAt] = useState(() => serviceNowMs());
  const limits = useStore(session).identity?.limits ?? smallestLimits;
  const everyMs = pollIntervalMs(limits, now - openedAt);
  const top = useQuery(
    (signal) => admin.listTopAccounts({ pageSize: accountsShown, order }, { signal }),
    [],
    everyMs,
  );
  const isFirst = (account: TopAccount) =>
    order === TopAccountsOrder.REFUSED && refusing(account, now).length > 0;
  return (
    <>
      <header class="part-header">
        <h2>{title}</h2>
        <p class="muted">
          Updated every {durationText(everyMs)}. Each update counts as one request.
        </p>
      </header>
      <QueryBanner query={top} />
      {top.data && (
        <Table
          caption={title}
          columns={topColumns(now)}
          rows={top.data.accounts.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))}
          rowKey={({ account }) => present(account, "the account of a row").accountId}
          empty={empty}
        />
      )}
    </>
  );
}
