import type { Account } from "../../../../../gen/admin/v1/admin_pb.ts";
import type { Column } from "../../shared/table.tsx";
import { Time } from "../../text/time.tsx";
import { AccountLink } from "../links.tsx";
import { limitsText, planName } from "./plans.ts";

/** The columns of a list of accounts. The name of an account leads to its page. */
export const accountColumns: readonly Column<Account>[] = [
  {
    title: "Account",
    cell: ({ accountId, name }) => (
      <div class="name-and-id">
        <AccountLink accountId={accountId} name={name} />
        <code>{accountId}</code>
      </div>
    ),
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
      <span class="badge badge-danger">disabled</span> since <Time at={account.disabledAt} />
    </span>
  ) : (
    <span class="badge badge-success">enabled</span>
  );
}
