import { present } from "../../../../../../src/common/present.ts";
import { admin } from "../../shared/api.ts";
import { ErrorBanner } from "../../shared/error-banner.tsx";
import { PagedTable } from "../../shared/paged-table.tsx";
import { PartHeader } from "../../shared/part-header.tsx";
import { showToast } from "../../shared/toasts.tsx";
import { useAction } from "../../shared/use-action.ts";
import { usePages } from "../../shared/use-pages.ts";
import { useNow } from "../../text/use-now.ts";
import { banColumns } from "./ban-columns.tsx";

/** The keys that are banned now. */
export function BansSection() {
  const pages = usePages(async (pageToken, signal) => {
    const { bans, nextPageToken } = await admin.listBans({ pageToken }, { signal });
    return { rows: bans, nextPageToken };
  }, []);
  const unban = useAction(async (keyId: string) => {
    const { key } = await admin.unbanKey({ keyId });
    showToast(`Key ${key?.name || keyId} is no longer banned.`);
    pages.first.reload();
  });
  return (
    <>
      <PartHeader title="Banned keys" query={pages.first} />
      <ErrorBanner fault={unban.fault} onClose={unban.clear} />
      <PagedTable
        pages={pages}
        caption="Banned keys"
        columns={banColumns(useNow(), unban)}
        rowKey={({ key }) => present(key, "the key of a ban").keyId}
        empty="No key is banned now."
      />
    </>
  );
}
