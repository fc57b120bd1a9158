import { type Hold, ReleaseHoldRequestSchema } from "../../../../../gen/store/v1/store_pb.ts";
import { AccountName } from "../operator/links.tsx";
import { admin, store } from "../shared/api.ts";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { HoldContents, unitsText } from "./hold-contents.tsx";

/** Asks whether to release a hold. @param accountId whose hold it is; absent for one of the account of the key */
export function ReleaseHoldDialog(props: {
  hold?: Hold;
  accountId?: string;
  onClose(): void;
  onDone(): void;
}) {
  const { hold, accountId, onClose, onDone } = props;
  const { holdId = "", items = [] } = hold ?? {};
  return (
    <ConfirmDialog
      title={`Release hold ${holdId}?`}
      schema={ReleaseHoldRequestSchema}
      request={{ holdId }}
      send={(request) =>
        accountId === undefined
          ? store.releaseHold(request)
          : admin.releaseHold({ accountId, holdId })
      }
      success={`Hold ${holdId} is released.`}
      submit="Release the hold"
      isDangerous
      onClose={onClose}
      onDone={onDone}
    >
      {accountId !== undefined && <AccountName accountId={accountId} />}
      <HoldContents items={items} />
      <p>This puts {unitsText(items)} back into stock. It cannot be undone.</p>
    </ConfirmDialog>
  );
}
