import type { TopAccount } from "../../../../../../gen/admin/v1/admin_pb.ts";
import type { LimitWindow } from "../../../../../../gen/usage/v1/usage_pb.ts";
import type { Column } from "../../shared/table.tsx";
import { numberText } from "../../text/number-text.ts";
import { AccountName } from "../links.tsx";
import { refusing } from "./limit-state.ts";

/** The columns of the busiest accounts: requests of today, what is left, and why requests are refused now. */
export function topColumns(nowMs: number): Column<TopAccount>[] {
  return [
    {
      title: "Account",
      cell: ({ account }) =>
        account && <AccountName accountId={account.accountId} name={account.name} />,
    },
    { title: "Admitted", cell: ({ today }) => numberText(today?.admitted ?? 0n), isNumber: true },
    { title: "Limited", cell: ({ today }) => numberText(today?.limited ?? 0n), isNumber: true },
    { title: "Banned", cell: ({ today }) => numberText(today?.banned ?? 0n), isNumber: true },
    { title: "Left this minute", cell: ({ minute }) => leftText(minute), isNumber: true },
    { title: "Left today", cell: ({ day }) => leftText(day), isNumber: true },
    { title: "Refused now", cell: (top) => <Refusals top={top} nowMs={nowMs} /> },
  ];
}

function Refusals({ top, nowMs }: { readonly top: TopAccount; readonly nowMs: number }) {
  const found = refusing(top, nowMs);
  if (found.length === 0) return <>no</>;
  return (
    <div class="badges">
      {found.map(({ kind, text }) => (
        <span class={`badge badge-${kind === "minute" ? "warning" : "danger"}`} key={kind}>
          {text}
        </span>
      ))}
    </div>
  );
}

function leftText(window: LimitWindow | undefined): string {
  return window ? `${numberText(window.remaining)} of ${numberText(window.limit)}` : "";
}
