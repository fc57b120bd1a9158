import { durationFromMs, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { type Key, KeySchema } from "../../../gen/admin/v1/admin_pb.ts";
import type { Environment } from "../environment.ts";
import { printMessage, printMessages } from "../output/messages.ts";
import { printResult } from "../output/output.ts";
import type { Column } from "../output/table.ts";
import { allPages, required, type Session, withSession } from "../session/session.ts";
import { keyDetails, keyJson, secretText, stateOf, stateText, timeOr } from "./key-text.ts";

/** Options of `keys create`. */
interface KeyOptions {
  readonly name?: string;
  readonly scope?: readonly string[];
  readonly allowedAddress?: readonly string[];
  /** Milliseconds. */
  readonly expires?: number;
}

/** Options of `keys list`. */
interface ListKeysOptions {
  /** Milliseconds. */
  readonly expiring?: number;
  readonly limit?: number;
}

/** Options of `keys rotate`. */
interface RotateOptions {
  /** Milliseconds. */
  readonly grace?: number;
}

const keySources = { key_id: "<key-id>" };

/** Creates an API key and prints it with its secret. @throws CommandError */
export async function createKey(
  environment: Environment,
  accountId: string,
  { name = "", scope = [], allowedAddress = [], expires }: KeyOptions,
): Promise<void> {
  const sources = {
    account_id: "<account-id>",
    name: "--name",
    scopes: "--scope",
    expires_at: "--expires",
    allowed_addresses: "--allowed-address",
  };
  const { secret, key } = await withSession(environment, sources, ({ admin }) =>
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
export async function listKeys(
  environment: Environment,
  accountId: string | undefined,
  { expiring, limit }: ListKeysOptions,
): Promise<void> {
  const isListed = (key: Key) => expiring === undefined || expiresWithin(key, expiring);
  const keys = await withSession(environment, { account_id: "<account-id>" }, ({ admin }) =>
    allPages(
      environment,
      limit,
      async (page) =>
        accountId === undefined
          ? admin.listAllKeys(page)
          : { ...(await admin.listKeys({ accountId })), nextPageToken: "" },
      (page) => page.keys.filter(isListed),
    ),
  );
  await printMessages(environment, KeySchema, keys, { columns, cellsOf });
}

const columns: readonly (Column | string)[] = [
  "ID",
  { title: "NAME", least: 8 },
  "STATE",
  { title: "SINCE OR UNTIL", isExtra: true },
  "LAST USED",
  { title: "CREATED", isExtra: true },
  { title: "SCOPES", isExtra: true, least: 20 },
  { title: "ALLOWED ADDRESSES", isExtra: true, least: 20 },
  { title: "ACCOUNT", isExtra: true },
];

function cellsOf(key: Key): string[] {
  const [state, time] = stateOf(key);
  return [
    key.keyId,
    key.name,
    state,
    timeOr(time, ""),
    // The service records it to the minute.
    timeOr(key.lastUsedAt, "never").replace(":00Z", "Z"),
    timeOr(key.createdAt, ""),
    key.scopes.join(","),
    key.allowedAddresses.join(","),
    key.accountId,
  ];
}

/** Returns whether a key is valid now, but expires within a time. @param ms in milliseconds */
function expiresWithin({ revokedAt, expiresAt }: Key, ms: number): boolean {
  const left = expiresAt ? timestampMs(expiresAt) - Date.now() : Number.POSITIVE_INFINITY;
  return !revokedAt && left > 0 && left <= ms;
}

/** Revokes a key. @throws CommandError */
export async function revokeKey(environment: Environment, keyId: string): Promise<void> {
  await printResponse(environment, ({ admin }) => admin.revokeKey({ keyId }));
}

/** Replaces a key with a new one and prints the new one with its secret. @throws CommandError */
export async function rotateKey(
  environment: Environment,
  keyId: string,
  { grace }: RotateOptions,
): Promise<void> {
  const sources = { ...keySources, grace: "--grace" };
  const { secret, key, rotated } = await withSession(environment, sources, ({ admin }) =>
    admin.rotateKey({ keyId, ...(grace !== undefined && { grace: durationFromMs(grace) }) }),
  );
  const created = required(key);
  const old = required(rotated);
  await printResult(environment, {
    json: () =>
      `{"key":${JSON.stringify(secret)},"keyId":${JSON.stringify(created.keyId)},"rotated":${keyJson(old)}}`,
    text: () => `${secretText(secret, created)}\nThe old key ${old.keyId}: ${stateText(old)}.`,
  });
}

/** Lifts the ban of a key. @throws CommandError */
export async function unbanKey(environment: Environment, keyId: string): Promise<void> {
  await printResponse(environment, ({ admin }) => admin.unbanKey({ keyId }));
}

/** Makes a call and prints the key in its response. */
async function printResponse(
  environment: Environment,
  call: (session: Session) => Promise<{ readonly key?: Key | undefined }>,
): Promise<void> {
  const { key } = await withSession(environment, keySources, call);
  await printMessage(environment, KeySchema, required(key), keyDetails);
}
