import { admin } from "../../shared/api.ts";
import { PagedTable } from "../../shared/paged-table.tsx";
import { goTo } from "../../shared/route.ts";
import { useDialog } from "../../shared/use-dialog.ts";
import { usePages } from "../../shared/use-pages.ts";
import { accountColumns } from "./account-columns.tsx";
import { CreateAccountDialog } from "./account-dialogs.tsx";
import { AccountPage } from "./account-page.tsx";

/** The accounts, or one account if the route names it. */
export function AccountsSection({ path }: { readonly path: readonly string[] }) {
  const [accountId] = path;
  return accountId === undefined ? (
    <AccountList />
  ) : (
    <AccountPage key={accountId} accountId={accountId} />
  );
}

function AccountList() {
  const pages = usePages(async (pageToken, signal) => {
    const { accounts, nextPageToken } = await admin.listAccounts({ pageToken }, { signal });
    return { rows: accounts, nextPageToken };
  }, []);
  const dialog = useDialog();
  const create = () =>
    dialog.open(
      <CreateAccountDialog
        onClose={dialog.close}
        onUnclear={pages.first.reload}
        onCreated={(account) => {
          dialog.close();
          if (account) goTo(`/operator/accounts/${account.accountId}`);
        }}
      />,
    );
  return (
    <>
      <header class="part-header">
        <h2>Accounts</h2>
        <button type="button" class="button-main" onClick={create}>
          New account
        </button>
      </header>
      <PagedTable
        pages={pages}
        caption="Accounts"
        columns={accountColumns}
        rowKey={({ accountId }) => accountId}
        empty="There are no accounts yet."
      />
      {dialog.shown}
    </>
  );
}
