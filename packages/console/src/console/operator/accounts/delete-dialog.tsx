import {
  type Account,
  DeleteAccountRequestSchema,
} from "../../../../../../gen/admin/v1/admin_pb.ts";
import { admin } from "../../shared/api.ts";
import { Dialog } from "../../shared/dialog.tsx";
import { QueryBanner } from "../../shared/error-banner.tsx";
import { TextField } from "../../shared/field.tsx";
import { Form } from "../../shared/form.tsx";
import { FieldError } from "../../shared/form-values.ts";
import { showToast } from "../../shared/toasts.tsx";
import { useQuery } from "../../shared/use-query.ts";
import { countText } from "../../text/number-text.ts";

/** The field in which the user repeats the account's name. */
const nameField = "repeated_name";

/** Deletes an account. Says first what goes with it, and asks for its name. */
export function DeleteDialog(props: {
  readonly account: Account;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { account, onClose, onDone } = props;
  const { accountId, name } = account;
  const preview = useQuery(
    (signal) => admin.deleteAccount({ accountId, validateOnly: true }, { signal }),
    [accountId],
  );
  return (
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <QueryBanner query={preview} />
      {preview.data && (
        <Form
          schema={DeleteAccountRequestSchema}
          read={(values) => {
            if (values.text(nameField) !== name.trim()) {
              throw new FieldError(nameField, `must be ${name}`);
            }
            return { accountId };
          }}
          send={async (request) => {
            const { keys, orders } = await admin.deleteAccount(request);
            showToast(
              `${name} is deleted, with ${countText(keys, "key")} and ${countText(orders, "order")}.`,
            );
            onDone();
          }}
          submit="Delete the account"
          isDangerous
          onCancel={onClose}
        >
          <p>
            This deletes the account, <strong>{countText(preview.data.keys, "key")}</strong>,{" "}
            <strong>{countText(preview.data.orders, "order")}</strong> and its usage. It cannot be
            undone. Its holds end. The quantities of the orders are not put back into stock.
          </p>
          <TextField
            label="Name of the account"
            name={nameField}
            hint={`Type ${name} to confirm.`}
          />
        </Form>
      )}
    </Dialog>
  );
}
