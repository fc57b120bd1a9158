import type { Account } from "../../../../../../gen/admin/v1/admin_pb.ts";
import type { Column } from "../../shared/table.tsx";
import { Time } from "../../text/time.tsx";
import { AccountName } from "../links.tsx";
import { limitsText, planName } from "./plans.ts";

/** The columns of a list of accounts. The name of an account leads to its page. */
export const accountColumns: readonly Column<Account>[] = [
  {
    title: "Account",
    cell: ({ accountId, name }) => <AccountName accountId={accountId} name={name} />,
  },
  { title: "Plan", cell: ({ plan }) => planName(plan) },
  { title: "Limits", cell: limitsText },
  { title: "State", cell: (account) => <AccountBadge account={account} /> },
  { title: "Created", cell: ({ createdAt }) => createdAt && <Time at={createdAt} /> },
];

/** Shows whether an account is enabled. */
export function AccountBadge({ account }: { readonly account: Account }) {
  return account.disabledAt ? (
    <span>
      <span class="badge badge-danger">disabled</span>
      <span class="detail">
        since <Time at={account.disabledAt} />
      </span>
    </span>
  ) : (
    <span class="badge badge-success">enabled</span>
  );
}
