import type { Account } from "../../../../../../gen/admin/v1/admin_pb.ts";
import { admin } from "../../shared/api.ts";
import { QueryBanner } from "../../shared/error-banner.tsx";
import { goTo } from "../../shared/route.ts";
import { useDialog } from "../../shared/use-dialog.ts";
import { useQuery } from "../../shared/use-query.ts";
import { Time } from "../../text/time.tsx";
import { AccountBadge } from "./account-columns.tsx";
import {
  DisableDialog,
  EnableDialog,
  PlanDialog,
  RenameDialog,
  WritePolicyDialog,
} from "./account-dialogs.tsx";
import { AccountKeys } from "./account-keys.tsx";
import { AccountUsagePart } from "./account-usage.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { limitsText, planName, policyName, policyText } from "./plans.ts";

/** One account: its plan and state, its keys and its usage. Its deletion is at the end, apart from other changes. */
export function AccountPage({ accountId }: { readonly accountId: string }) {
  const found = useQuery((signal) => admin.getAccount({ accountId }, { signal }), [accountId]);
  const account = found.data?.account;
  return (
    <>
      <p>
        <a href="#/operator/accounts">All accounts</a>
      </p>
      <QueryBanner query={found} />
      {account && (
        <>
          <AccountHeader account={account} onChanged={found.reload} />
          <AccountKeys accountId={accountId} />
          <AccountUsagePart accountId={accountId} />
          <DeletePart account={account} />
        </>
      )}
    </>
  );
}

function AccountHeader(props: { readonly account: Account; readonly onChanged: () => void }) {
  const { account, onChanged } = props;
  const { accountId, name, plan, writePolicy, createdAt, disabledAt } = account;
  const dialog = useDialog();
  const change = {
    account,
    onClose: dialog.close,
    onDone: () => {
      dialog.close();
      onChanged();
    },
  };
  return (
    <section class="card part">
      <header class="part-header">
        <h2>{name}</h2>
        <AccountBadge account={account} />
      </header>
      <dl class="facts">
        <dt>Id</dt>
        <dd>
          <code>{accountId}</code>
        </dd>
        <dt>Plan</dt>
        <dd>
          {planName(plan)}: {limitsText(account)}
        </dd>
        <dt>Write policy</dt>
        <dd>
          {policyName(writePolicy)}: {policyText(writePolicy)}
        </dd>
        <dt>Created</dt>
        <dd>{createdAt && <Time at={createdAt} />}</dd>
        <dt>More</dt>
        <dd>
          <a href={`#/operator/orders/${accountId}`}>Orders</a>,{" "}
          <a href={`#/operator/holds/${accountId}`}>holds</a>,{" "}
          <a href={`#/operator/audit/${accountId}`}>audit trail</a>
        </dd>
      </dl>
      <div class="row-actions">
        <button type="button" onClick={() => dialog.open(<RenameDialog {...change} />)}>
          Rename
        </button>
        <button type="button" onClick={() => dialog.open(<PlanDialog {...change} />)}>
          Change plan
        </button>
        <button type="button" onClick={() => dialog.open(<WritePolicyDialog {...change} />)}>
          Change write policy
        </button>
        {disabledAt ? (
          <button type="button" onClick={() => dialog.open(<EnableDialog {...change} />)}>
            Enable
          </button>
        ) : (
          <button type="button" onClick={() => dialog.open(<DisableDialog {...change} />)}>
            Disable
          </button>
        )}
      </div>
      {dialog.shown}
    </section>
  );
}

function DeletePart({ account }: { readonly account: Account }) {
  const dialog = useDialog();
  const onDeleted = () => {
    dialog.close();
    goTo("/operator/accounts");
  };
  const open = () =>
    dialog.open(<DeleteDialog account={account} onClose={dialog.close} onDone={onDeleted} />);
  return (
    <section class="card part danger">
      <h2>Delete the account</h2>
      <p>
        This also deletes its keys, orders and usage, and ends its holds. It cannot be undone.
        Disable the account to keep them.
      </p>
      <div>
        <button type="button" class="button-danger" onClick={open}>
          Delete
        </button>
      </div>
      {dialog.shown}
    </section>
  );
}
