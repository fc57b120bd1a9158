import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type CreateKeyRequest,
  CreateKeyRequestSchema,
  type Key,
  RevokeKeyRequestSchema,
  type RotateKeyRequest,
  RotateKeyRequestSchema,
  UnbanKeyRequestSchema,
} from "../../../../../../gen/admin/v1/admin_pb.ts";
import { defaultScopes, scopes } from "../../../../../../src/access/scopes.ts";
import { dayMs } from "../../../../../../src/common/durations.ts";
import { admin } from "../../shared/api.ts";
import { ConfirmDialog } from "../../shared/confirm-dialog.tsx";
import { CreateForm } from "../../shared/create-form.tsx";
import { Dialog } from "../../shared/dialog.tsx";
import { type Effect, isLargeChange } from "../../shared/effect.ts";
import { CheckboxField, DateField, NumberField, TextField } from "../../shared/field.tsx";
import { FieldError } from "../../shared/form-values.ts";
import { serviceNowMs } from "../../shared/service-clock.ts";
import { durationText, timeText } from "../../text/time-text.ts";
import { addressesOf, expiryFault, expiryOf, graceFault, graceOf } from "./key-input.ts";

/** The response of a call that has made a key. */
export interface NewKey {
  readonly secret: string;
  readonly note?: string;
}

interface Props {
  readonly onClose: () => void;
  /** Reads the list again. */
  readonly onChanged: () => void;
}

const unclearAdvice =
  "It is unknown whether the key was created. If the list has a new key, revoke it: its secret is lost.";

/** Creates a key of an account. */
export function CreateKeyDialog(
  props: Props & { readonly accountId: string; readonly onCreated: (key: NewKey) => void },
) {
  const { accountId, onClose, onChanged, onCreated } = props;
  return (
    <Dialog title="New API key" onClose={onClose}>
      <CreateForm
        schema={CreateKeyRequestSchema}
        read={(values) => {
          const chosen = values.all("scopes");
          // A request without scopes gets the default ones, which is not what an empty choice means.
          if (chosen.length === 0) throw new FieldError("scopes", "must have at least one scope");
          const date = values.text("expires_at");
          const expiresAt = date === "" ? undefined : expiryOf(date, serviceNowMs());
          if (date !== "" && !expiresAt) throw new FieldError("expires_at", expiryFault);
          return {
            accountId,
            name: values.text("name"),
            scopes: chosen,
            allowedAddresses: addressesOf(values.text("allowed_addresses")),
            ...(expiresAt && { expiresAt }),
          };
        }}
        effects={expiryEffect}
        send={async (request) => {
          const { secret } = await admin.createKey(request);
          onChanged();
          onCreated({ secret });
        }}
        submit="Create key"
        onCancel={onClose}
        onUnclear={onChanged}
        unclearAdvice={unclearAdvice}
      >
        <TextField label="Name" name="name" hint="Where the key is used, such as till-3." />
        <CheckboxField
          label="Scopes"
          name="scopes"
          options={scopes.map((scope) => [scope, scope === "admin" ? "admin (all scopes)" : scope])}
          chosen={defaultScopes}
        />
        <DateField label="Last day" name="expires_at" hint="Without it, the key does not expire." />
        <TextField
          label="Allowed addresses"
          name="allowed_addresses"
          hint="Addresses and networks such as 192.0.2.0/24, separated by commas. Without any, the key can be used from everywhere."
        />
      </CreateForm>
    </Dialog>
  );
}

/** Longest life of a key that is usual, in days. A wrong year gives more. */
const usualDays = 3_660;

function expiryEffect({ expiresAt }: CreateKeyRequest): readonly Effect[] {
  if (!expiresAt) return [];
  const leftMs = timestampMs(expiresAt) - serviceNowMs();
  const text = `The key expires in ${durationText(leftMs)}.`;
  return [{ text, isLarge: leftMs > usualDays * dayMs }];
}

/** The hours that the dialog suggests. */
const suggestedGraceHours = 24;

function graceEffect({ grace }: RotateKeyRequest): readonly Effect[] {
  const seconds = Number(grace?.seconds ?? 0n);
  const text =
    seconds === 0
      ? "The old key stops working at once."
      : `The old key stops working in ${durationText(seconds * 1_000)}.`;
  return [{ text, isLarge: isLargeChange(suggestedGraceHours, seconds / 3_600) }];
}

/** Replaces a key. */
export function RotateKeyDialog(
  props: Props & { readonly apiKey: Key; readonly onCreated: (key: NewKey) => void },
) {
  const { apiKey, onClose, onChanged, onCreated } = props;
  return (
    <Dialog title={`Rotate ${apiKey.name || apiKey.keyId}`} onClose={onClose}>
      <CreateForm
        schema={RotateKeyRequestSchema}
        read={(values) => {
          const grace = graceOf(values.text("grace"));
          if (!grace) throw new FieldError("grace", graceFault);
          return { keyId: apiKey.keyId, grace };
        }}
        effects={graceEffect}
        send={async (request) => {
          const { secret, rotated } = await admin.rotateKey(request);
          onChanged();
          onCreated({ secret, note: rotatedNote(request, rotated) });
        }}
        submit="Rotate key"
        onCancel={onClose}
        onUnclear={onChanged}
        unclearAdvice={unclearAdvice}
      >
        <p>Creates a new key with the same name, scopes and allowed addresses.</p>
        <NumberField
          label="Hours that the old key stays valid"
          name="grace"
          value={suggestedGraceHours}
          hint="0 revokes the old key at once."
        />
      </CreateForm>
    </Dialog>
  );
}

function rotatedNote({ grace }: RotateKeyRequest, rotated: Key | undefined): string {
  if (grace?.seconds === 0n || !rotated?.expiresAt) return "The old key is no longer valid.";
  return `The old key is valid until ${timeText(rotated.expiresAt)}.`;
}

/** Revokes a key. */
export function RevokeKeyDialog({ apiKey, onClose, onChanged }: Props & { readonly apiKey: Key }) {
  const name = apiKey.name || apiKey.keyId;
  return (
    <ConfirmDialog
      title={`Revoke ${name}?`}
      schema={RevokeKeyRequestSchema}
      request={{ keyId: apiKey.keyId }}
      send={(request) => admin.revokeKey(request)}
      success={`Key ${name} is revoked.`}
      submit="Revoke key"
      isDangerous
      onClose={onClose}
      onDone={onChanged}
    >
      <p>The key's next request is rejected. A revoked key cannot be used again.</p>
    </ConfirmDialog>
  );
}

/** Lifts the ban of a key. */
export function UnbanKeyDialog({ apiKey, onClose, onChanged }: Props & { readonly apiKey: Key }) {
  const name = apiKey.name || apiKey.keyId;
  return (
    <ConfirmDialog
      title={`Unban ${name}?`}
      schema={UnbanKeyRequestSchema}
      request={{ keyId: apiKey.keyId }}
      send={(request) => admin.unbanKey(request)}
      success={`Key ${name} is no longer banned.`}
      submit="Unban key"
      onClose={onClose}
      onDone={onChanged}
    >
      <p>Lifts the ban, and deletes the record of earlier bans.</p>
    </ConfirmDialog>
  );
}
