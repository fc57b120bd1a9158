import type { Key } from "../../../../../../gen/admin/v1/admin_pb.ts";
import { type DialogSlot, useDialog } from "../../shared/use-dialog.ts";
import type { KeyAction } from "./key-actions.ts";
import { type NewKey, RevokeKeyDialog, RotateKeyDialog, UnbanKeyDialog } from "./key-dialogs.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

/** The dialogs of the actions of keys. */
export interface KeyActions {
  readonly dialog: DialogSlot;
  readonly onAction: (action: KeyAction, key: Key) => void;
  /** Shows a new key once. */
  readonly onCreated: (key: NewKey) => void;
}

/** @param onChanged called after a change, to read the list again */
export function useKeyActions(onChanged: () => void): KeyActions {
  const dialog = useDialog();
  const onCreated = (created: NewKey) =>
    dialog.open(<SecretDialog {...created} onClose={dialog.close} />);
  const onAction = (action: KeyAction, apiKey: Key) => {
    const props = { apiKey, onClose: dialog.close, onChanged };
    switch (action) {
      case "rotate":
        return dialog.open(<RotateKeyDialog {...props} onCreated={onCreated} />);
      case "revoke":
        return dialog.open(<RevokeKeyDialog {...props} />);
      case "unban":
        return dialog.open(<UnbanKeyDialog {...props} />);
    }
  };
  return { dialog, onAction, onCreated };
}
