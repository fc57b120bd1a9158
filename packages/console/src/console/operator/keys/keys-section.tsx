import { admin } from "../../shared/api.ts";
import { PagedTable } from "../../shared/paged-table.tsx";
import { usePages } from "../../shared/use-pages.ts";
import { useNow } from "../../text/use-now.ts";
import { keyAccountColumn, keyColumns } from "./key-columns.tsx";
import { useKeyActions } from "./use-key-actions.tsx";

/** The keys of all accounts. */
export function KeysSection() {
  const pages = usePages(async (pageToken, signal) => {
    const { keys, nextPageToken } = await admin.listAllKeys({ pageToken }, { signal });
    return { rows: keys, nextPageToken };
  }, []);
  const { dialog, onAction } = useKeyActions(pages.first.reload);
  const [key, ...others] = keyColumns(useNow(), onAction);
  return (
    <>
      <header class="part-header">
        <h2>Keys of all accounts</h2>
      </header>
      <PagedTable
        pages={pages}
        caption="Keys of all accounts"
        columns={key ? [key, keyAccountColumn, ...others] : others}
        rowKey={({ keyId }) => keyId}
        empty="There are no keys yet."
      />
      {dialog.shown}
    </>
  );
}
