import { durationFromMs, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { type Key, KeySchema } from "../../../gen/admin/v1/admin_pb.ts";
import { httpJson } from "../../contract/json.ts";
import type { Environment } from "../environment.ts";
import { timeOr } from "../output/field-text.ts";
import { printResult } from "../output/output.ts";
import { details } from "../output/table.ts";
import { type Kind, listing, showing } from "../session/kinds.ts";
import { required, withSession } from "../session/session.ts";

interface KeyOptions {
  readonly name?: string;
  readonly scope?: readonly string[];
  readonly allowedAddress?: readonly string[];
  /** Milliseconds. */
  readonly expires?: number;
}

const kind: Kind<typeof KeySchema, { readonly key?: Key }> = {
  desc: KeySchema,
  messageOf: ({ key }) => key,
  textOf: (key) => details(propertiesOf(key)),
  columns: [
    { title: "ID", of: ({ keyId }) => keyId },
    { title: "NAME", of: ({ name }) => name, least: 8 },
    { title: "STATE", of: (key) => stateOf(key)[0] },
    { title: "SINCE OR UNTIL", of: (key) => timeOr(stateOf(key)[1], ""), isExtra: true },
    // The service records it to the minute.
    { title: "LAST USED", of: (key) => timeOr(key.lastUsedAt, "never").replace(":00Z", "Z") },
    { title: "CREATED", of: ({ createdAt }) => timeOr(createdAt, ""), isExtra: true },
    { title: "SCOPES", of: ({ scopes }) => scopes.join(","), isExtra: true, least: 20 },
    {
      title: "ALLOWED ADDRESSES",
      of: ({ allowedAddresses }) => allowedAddresses.join(","),
      isExtra: true,
      least: 20,
    },
    { title: "ACCOUNT", of: ({ accountId }) => accountId, isExtra: true },
  ],
};

/** Creates an API key and prints it with its secret. @throws CommandError */
export async function createKey(
  environment: Environment,
  accountId: string,
  { name = "", scope = [], allowedAddress = [], expires }: KeyOptions,
): Promise<void> {
  const { secret, key } = await withSession(environment, ({ admin }) =>
    admin.createKey({
      accountId,
      name,
      scopes: [...scope],
      allowedAddresses: [...allowedAddress],
      ...(expires !== undefined && { expiresAt: timestampFromMs(Date.now() + expires) }),
    }),
  );
  const { keyId } = required(key);
  await printResult(environment, {
    json: () => JSON.stringify({ key: secret, keyId }),
    text: () => secretText(secret, required(key)),
  });
}

/** Prints the keys of an account, or of all accounts, oldest first. @throws CommandError */
export const listKeys = listing(
  kind,
  { field: "keys" },
  (accountId: string | undefined, { expiring }: { readonly expiring?: number }) => ({
    accountId,
    expiring,
  }),
  ({ admin }) =>
    async ({ accountId, expiring = Number.POSITIVE_INFINITY, ...page }) => {
      const { keys, ...rest } = await (accountId === undefined
        ? admin.listAllKeys(page)
        : admin.listKeys({ accountId }));
      return { ...rest, keys: keys.filter((key) => expiresWithin(key, expiring)) };
    },
);

/** Returns whether a key is valid now, but expires within a time. @param ms in milliseconds; infinite for all keys */
function expiresWithin({ revokedAt, expiresAt }: Key, ms: number): boolean {
  if (ms === Number.POSITIVE_INFINITY) return true;
  const left = expiresAt ? timestampMs(expiresAt) - Date.now() : Number.POSITIVE_INFINITY;
  return !revokedAt && left > 0 && left <= ms;
}

const ofKey = (keyId: string) => ({ keyId });

/** Revokes a key. @throws CommandError */
export const revokeKey = showing(kind, ofKey, ({ admin }) => admin.revokeKey);

/** Replaces a key with a new one and prints the new one with its secret. @throws CommandError */
export async function rotateKey(
  environment: Environment,
  keyId: string,
  { grace }: { readonly grace?: number },
): Promise<void> {
  const { secret, key, rotated } = await withSession(environment, ({ admin }) =>
    admin.rotateKey({ keyId, ...(grace !== undefined && { grace: durationFromMs(grace) }) }),
  );
  const created = required(key);
  const old = required(rotated);
  await printResult(environment, {
    json: () =>
      `{"key":${JSON.stringify(secret)},"keyId":${JSON.stringify(created.keyId)},"rotated":${httpJson.encodeJson(KeySchema, old)}}`,
    text: () => `${secretText(secret, created)}\nThe old key ${old.keyId}: ${stateText(old)}.`,
  });
}

/** Lifts the ban of a key. @throws CommandError */
export const unbanKey = showing(kind, ofKey, ({ admin }) => admin.unbanKey);

function secretText(secret: string, key: Key): string {
  const note = "Save the key now: it is shown only once.";
  return [...details({ key: secret, ...propertiesOf(key) }).lines(), note].join("\n");
}

function propertiesOf(key: Key) {
  const { keyId, accountId, name, scopes, allowedAddresses } = key;
  return {
    id: keyId,
    account: accountId,
    name,
    scopes: scopes.join(",") + (scopes.includes("admin") ? " (includes all others)" : ""),
    "allowed addresses": allowedAddresses.join(","),
    state: stateText(key),
  };
}

/** Returns the current state of a key, such as `banned until 2026-11-02T09:30:00Z`. */
function stateText(key: Key): string {
  const [state, time] = stateOf(key);
  const word = state === "banned" || state === "valid" ? " until" : "";
  return time ? `${state}${word} ${timeOr(time, "")}` : state;
}

/** Returns the current state of a key, and the time when it began or will end. */
function stateOf({ revokedAt, expiresAt, bannedUntil }: Key) {
  if (revokedAt) return ["revoked", revokedAt] as const;
  if (expiresAt && timestampMs(expiresAt) <= Date.now()) return ["expired", expiresAt] as const;
  return bannedUntil ? (["banned", bannedUntil] as const) : (["valid", expiresAt] as const);
}
