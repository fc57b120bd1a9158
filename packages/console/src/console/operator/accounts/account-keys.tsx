import { admin } from "../../shared/api.ts";
import { QueryBanner } from "../../shared/error-banner.tsx";
import { Table } from "../../shared/table.tsx";
import { useQuery } from "../../shared/use-query.ts";
import { useNow } from "../../text/use-now.ts";
import { keyColumns } from "../keys/key-columns.tsx";
import { CreateKeyDialog } from "../keys/key-dialogs.tsx";
import { useKeyActions } from "../keys/use-key-actions.tsx";

/** The keys of an account, and a button for a new one. */
export function AccountKeys({ accountId }: { readonly accountId: string }) {
  const list = useQuery((signal) => admin.listKeys({ accountId }, { signal }), [accountId]);
  const { dialog, onAction, onCreated } = useKeyActions(list.reload);
  const now = useNow();
  const create = () =>
    dialog.open(
      <CreateKeyDialog
        accountId={accountId}
        onClose={dialog.close}
        onChanged={list.reload}
        onCreated={onCreated}
      />,
    );
  return (
    <section class="part">
      <header class="part-header">
        <h2>Keys</h2>
        <button type="button" class="button-main" onClick={create}>
          New key
        </button>
      </header>
      <QueryBanner query={list} />
      {list.data && (
        <Table
          caption="Keys of the account"
          columns={keyColumns(now, onAction)}
          rows={list.data.keys}
          rowKey={({ keyId }) => keyId}
          empty="The account has no keys."
        />
      )}
      {dialog.shown}
    </section>
  );
}
