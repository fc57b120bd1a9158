import { type Account, WritePolicy } from "../../../../../gen/admin/v1/admin_pb.ts";
import { admin } from "../../shared/api.ts";
import { QueryBanner } from "../../shared/error-banner.tsx";
import { goTo } from "../../shared/route.ts";
import { useDialog } from "../../shared/use-dialog.ts";
import { useQuery } from "../../shared/use-query.ts";
import { Time } from "../../text/time.tsx";
import { AccountBadge } from "./account-columns.tsx";
import { DisableDialog, EnableDialog, PlanDialog, RenameDialog } from "./account-dialogs.tsx";
import { AccountKeys } from "./account-keys.tsx";
import { AccountUsagePart } from "./account-usage.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { limitsText, planName } from "./plans.ts";

/** One account: its plan and state, its keys and its usage. */
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
  const onDeleted = () => {
    dialog.close();
    goTo("/operator/accounts");
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
        <dt>Writes</dt>
        <dd>{writePolicy === WritePolicy.STRICT ? "strict" : "any"}</dd>
        <dt>Created</dt>
        <dd>{createdAt && <Time at={createdAt} />}</dd>
        <dt>More</dt>
        <dd>
          <a href={`#/operator/orders/${accountId}`}>Orders</a>,{" "}
          <a href={`#/operator/audit/${accountId}`}>calls of AdminService</a>
        </dd>
      </dl>
      <div class="row-actions">
        <button type="button" onClick={() => dialog.open(<RenameDialog {...change} />)}>
          Rename
        </button>
        <button type="button" onClick={() => dialog.open(<PlanDialog {...change} />)}>
          Change plan
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
        <button
          type="button"
          class="button-danger"
          onClick={() =>
            dialog.open(
              <DeleteDialog account={account} onClose={dialog.close} onDone={onDeleted} />,
            )
          }
        >
          Delete
        </button>
      </div>
      {dialog.shown}
    </section>
  );
}
