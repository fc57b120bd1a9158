import {
  type Account,
  CreateAccountRequestSchema,
  DisableAccountRequestSchema,
  EnableAccountRequestSchema,
  RenameAccountRequestSchema,
  SetPlanRequestSchema,
  SetWritePolicyRequestSchema,
  WritePolicy,
} from "../../../../../../gen/admin/v1/admin_pb.ts";
import { admin } from "../../shared/api.ts";
import { ConfirmDialog } from "../../shared/confirm-dialog.tsx";
import { CreateForm } from "../../shared/create-form.tsx";
import { Dialog } from "../../shared/dialog.tsx";
import { SelectField, TextField } from "../../shared/field.tsx";
import { Form } from "../../shared/form.tsx";
import { showToast } from "../../shared/toasts.tsx";
import { noteAccountName } from "./account-names.ts";
import { PlanFields, readPlan } from "./plan-fields.tsx";
import { limitEffects, planName, policies, policyName, policyText } from "./plans.ts";

interface ChangeProps {
  readonly account: Account;
  readonly onClose: () => void;
  /** Called after the change. */
  readonly onDone: () => void;
}

/** Creates an account. */
export function CreateAccountDialog(props: {
  readonly onClose: () => void;
  readonly onCreated: (account: Account | undefined) => void;
  /** Called when it is unknown whether the account was created. */
  readonly onUnclear: () => void;
}) {
  const { onClose, onCreated, onUnclear } = props;
  return (
    <Dialog title="New account" onClose={onClose}>
      <CreateForm
        schema={CreateAccountRequestSchema}
        read={(values) => ({ name: values.text("name"), ...readPlan(values) })}
        send={async (request) => {
          const { account } = await admin.createAccount(request);
          showToast(`Account ${account?.name} created.`);
          onCreated(account);
        }}
        submit="Create account"
        onCancel={onClose}
        onUnclear={onUnclear}
        unclearAdvice="It is unknown whether the account was created. Close this dialog and look for it in the list before you try again."
      >
        <TextField label="Name" name="name" />
        <PlanFields />
      </CreateForm>
    </Dialog>
  );
}

/** Renames an account. */
export function RenameDialog({ account, onClose, onDone }: ChangeProps) {
  return (
    <Dialog title="Rename the account" onClose={onClose}>
      <Form
        schema={RenameAccountRequestSchema}
        read={(values) => ({ accountId: account.accountId, name: values.text("name") })}
        send={async (request) => {
          const { account: renamed } = await admin.renameAccount(request);
          if (renamed) noteAccountName(renamed);
          showToast(`The account's name is now ${request.name}.`);
          onDone();
        }}
        submit="Rename"
        onCancel={onClose}
      >
        <TextField label="Name" name="name" value={account.name} />
      </Form>
    </Dialog>
  );
}

/** Changes the plan of an account. */
export function PlanDialog({ account, onClose, onDone }: ChangeProps) {
  return (
    <Dialog title="Change the plan" onClose={onClose}>
      <Form
        schema={SetPlanRequestSchema}
        read={(values) => ({ accountId: account.accountId, ...readPlan(values) })}
        effects={(request) => limitEffects(account, request)}
        send={async (request) => {
          await admin.setPlan(request);
          showToast(`The account's plan is now ${planName(request.plan)}.`);
          onDone();
        }}
        submit="Change plan"
        onCancel={onClose}
      >
        <p>The new limits apply from the account's next request.</p>
        <PlanFields account={account} />
      </Form>
    </Dialog>
  );
}

/** Changes the write policy of an account. */
export function WritePolicyDialog({ account, onClose, onDone }: ChangeProps) {
  return (
    <Dialog title="Change the write policy" onClose={onClose}>
      <Form
        schema={SetWritePolicyRequestSchema}
        read={(values) => ({
          accountId: account.accountId,
          writePolicy:
            policies.find((each) => String(each) === values.text("write_policy")) ??
            WritePolicy.UNSPECIFIED,
        })}
        send={async (request) => {
          await admin.setWritePolicy(request);
          showToast(`The account's write policy is now ${policyName(request.writePolicy)}.`);
          onDone();
        }}
        submit="Change write policy"
        onCancel={onClose}
      >
        <p>The new policy applies from the account's next request.</p>
        <SelectField
          label="Write policy"
          name="write_policy"
          value={String(account.writePolicy)}
          options={policies.map((each) => [
            String(each),
            `${policyName(each)}: ${policyText(each)}`,
          ])}
        />
      </Form>
    </Dialog>
  );
}

/** Disables an account. */
export function DisableDialog({ account, onClose, onDone }: ChangeProps) {
  return (
    <ConfirmDialog
      title={`Disable ${account.name}?`}
      schema={DisableAccountRequestSchema}
      request={{ accountId: account.accountId }}
      send={(request) => admin.disableAccount(request)}
      success={`${account.name} is disabled.`}
      submit="Disable"
      isDangerous
      onClose={onClose}
      onDone={onDone}
    >
      <p>
        From the next request on, all requests with the account's keys fail. Keys, orders and usage
        remain. You can enable the account again.
      </p>
    </ConfirmDialog>
  );
}

/** Enables a disabled account. */
export function EnableDialog({ account, onClose, onDone }: ChangeProps) {
  return (
    <ConfirmDialog
      title={`Enable ${account.name}?`}
      schema={EnableAccountRequestSchema}
      request={{ accountId: account.accountId }}
      send={(request) => admin.enableAccount(request)}
      success={`${account.name} is enabled.`}
      submit="Enable"
      onClose={onClose}
      onDone={onDone}
    >
      <p>The account's keys work again from the next request on.</p>
    </ConfirmDialog>
  );
}
