import { durationFromMs, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { type Key, KeySchema } from "../../../gen/admin/v1/admin_pb.ts";
import { usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { printMessage, printMessages } from "../output/messages.ts";
import { printResult } from "../output/output.ts";
import { allPages, required, type Session, withSession } from "../session/session.ts";
import { keyDetails, keyJson, secretText, stateOf, timeOr } from "./key-text.ts";

/** Options of `keys create`. */
interface KeyOptions {
  readonly account: string;
  readonly name?: string;
  readonly scope?: readonly string[];
  readonly allowedAddress?: readonly string[];
  /** Milliseconds. */
  readonly expires?: number;
}

/** Options of `keys list`. */
interface ListKeysOptions {
  readonly account?: string;
  readonly all?: true;
  /** Milliseconds. */
  readonly expiring?: number;
}

/** Options of `keys rotate`. */
interface RotateOptions {
  /** Milliseconds. */
  readonly grace?: number;
}

/** The largest page of keys that the service returns. */
const keysPerPage = 1_000;

const keySources = { key_id: "<key-id>" };

/** Creates an API key and prints it with its secret. @throws CommandError */
export async function createKey(
  environment: Environment,
  { account, name = "", scope = [], allowedAddress = [], expires }: KeyOptions,
): Promise<void> {
  const sources = {
    account_id: "--account",
    name: "--name",
    scopes: "--scope",
    expires_at: "--expires",
    allowed_addresses: "--allowed-address",
  };
  const { secret, key } = await withSession(environment, sources, ({ admin }) =>
    admin.createKey({
      accountId: account,
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
  argument: string | undefined,
  { account, all, expiring }: ListKeysOptions,
): Promise<void> {
  const [accountId, ...more] = [argument, account].filter((each) => each !== undefined);
  if (more.length > 0 || (accountId === undefined) !== (all === true)) {
    throw usageError(
      "set the account once: as an argument, with --account, or --all for all of them",
    );
  }
  const listed = await withSession(environment, { account_id: "--account" }, async ({ admin }) =>
    accountId === undefined
      ? allPages(
          (pageToken) => admin.listAllKeys({ pageSize: keysPerPage, pageToken }),
          ({ keys }) => keys,
        )
      : (await admin.listKeys({ accountId })).keys,
  );
  const keys =
    expiring === undefined ? listed : listed.filter((key) => expiresWithin(key, expiring));
  const header = ["ID", "NAME", "STATE", "LAST USED", "CREATED", "SCOPES", "ALLOWED ADDRESSES"];
  const columns = all
    ? {
        header: ["ACCOUNT", ...header],
        cellsOf: (key: Key) => [key.accountId, ...cellsOf(key)],
      }
    : { header, cellsOf };
  await printMessages(environment, KeySchema, keys, columns);
}

function cellsOf(key: Key): string[] {
  return [
    key.keyId,
    key.name,
    stateOf(key),
    timeOr(key.lastUsedAt, "never"),
    timeOr(key.createdAt, ""),
    key.scopes.join(","),
    key.allowedAddresses.join(","),
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
    text: () => `${secretText(secret, created)}\nThe old key ${old.keyId}: ${stateOf(old)}.`,
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
