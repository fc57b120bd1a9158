import { durationFromMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Key } from "../../../gen/admin/v1/admin_pb.ts";
import { usageError } from "../command-error.ts";
import type { CommonOptions } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { jsonArray, printResult, table } from "../output/output.ts";
import { required, type Session, withSession } from "../session/session.ts";
import { keyDetails, keyJson, secretText, stateOf, timeOr } from "./key-text.ts";

/** Options of `keys create`. */
export interface KeyOptions extends CommonOptions {
  readonly account: string;
  readonly name?: string;
  readonly scope?: readonly string[];
  /** Milliseconds. */
  readonly expires?: number;
}

/** Options of `keys list`. */
export interface ListKeysOptions extends CommonOptions {
  readonly account?: string;
  readonly all?: true;
}

/** Options of `keys rotate`. */
export interface RotateOptions extends CommonOptions {
  /** Milliseconds. */
  readonly grace?: number;
}

/** The largest page of keys that the service returns. */
const keysPerPage = 1_000;

const keySources = { key_id: "<key-id>" };

/** Creates an API key and prints it with its secret. @throws CommandError */
export async function createKey(
  environment: Environment,
  { account, name = "", scope, expires, ...options }: KeyOptions,
): Promise<void> {
  const sources = {
    account_id: "--account",
    name: "--name",
    scopes: "--scope",
    expires_at: "--expires",
  };
  const { secret, key } = await withSession(environment, sources, ({ admin }) =>
    admin.createKey({
      accountId: account,
      name,
      scopes: [...(scope ?? [])],
      ...(expires !== undefined && { expiresAt: timestampFromMs(Date.now() + expires) }),
    }),
  );
  const { keyId } = required(key);
  await printResult(environment, options, {
    json: () => JSON.stringify({ key: secret, keyId }),
    text: () => secretText(secret, required(key)),
  });
}

/** Prints the keys of an account, or of all accounts, oldest first. @throws CommandError */
export async function listKeys(
  environment: Environment,
  argument: string | undefined,
  { account, all, ...options }: ListKeysOptions,
): Promise<void> {
  const [accountId, ...more] = [argument, account].filter((each) => each !== undefined);
  if (more.length > 0 || (accountId === undefined) !== (all === true)) {
    throw usageError(
      "set the account once: as an argument, with --account, or --all for all of them",
    );
  }
  const keys = await withSession(environment, { account_id: "--account" }, async (session) =>
    accountId === undefined ? allKeys(session) : (await session.admin.listKeys({ accountId })).keys,
  );
  await printResult(environment, options, {
    json: () => jsonArray(keys.map(keyJson)),
    text: () =>
      all
        ? table(
            ["ACCOUNT", ...keyHeader],
            keys.map((key) => [key.accountId, ...cellsOf(key)]),
          )
        : table(keyHeader, keys.map(cellsOf)),
  });
}

const keyHeader = ["ID", "NAME", "STATE", "LAST USED", "CREATED", "SCOPES"] as const;

function cellsOf(key: Key): string[] {
  return [
    key.keyId,
    key.name,
    stateOf(key),
    timeOr(key.lastUsedAt, "never"),
    timeOr(key.createdAt, ""),
    key.scopes.join(","),
  ];
}

/** Reads the keys of all accounts, page by page. */
async function allKeys({ admin }: Session): Promise<Key[]> {
  const found: Key[] = [];
  let pageToken = "";
  do {
    const page = await admin.listAllKeys({ pageSize: keysPerPage, pageToken });
    found.push(...page.keys);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return found;
}

/** Revokes a key. @throws CommandError */
export async function revokeKey(
  environment: Environment,
  keyId: string,
  options: CommonOptions,
): Promise<void> {
  const key = await withSession(environment, keySources, async ({ admin }) =>
    required((await admin.revokeKey({ keyId })).key),
  );
  await printKey(environment, options, key);
}

/** Replaces a key with a new one and prints the new one with its secret. @throws CommandError */
export async function rotateKey(
  environment: Environment,
  keyId: string,
  { grace, ...options }: RotateOptions,
): Promise<void> {
  const sources = { ...keySources, grace: "--grace" };
  const { secret, key, rotated } = await withSession(environment, sources, ({ admin }) =>
    admin.rotateKey({ keyId, ...(grace !== undefined && { grace: durationFromMs(grace) }) }),
  );
  const created = required(key);
  const old = required(rotated);
  await printResult(environment, options, {
    json: () =>
      `{"key":${JSON.stringify(secret)},"keyId":${JSON.stringify(created.keyId)},"rotated":${keyJson(old)}}`,
    text: () => `${secretText(secret, created)}\nThe old key ${old.keyId}: ${stateOf(old)}.`,
  });
}

/** Lifts the ban of a key. @throws CommandError */
export async function unbanKey(
  environment: Environment,
  keyId: string,
  options: CommonOptions,
): Promise<void> {
  const key = await withSession(environment, keySources, async ({ admin }) =>
    required((await admin.unbanKey({ keyId })).key),
  );
  await printKey(environment, options, key);
}

function printKey(environment: Environment, options: CommonOptions, key: Key): Promise<void> {
  return printResult(environment, options, {
    json: () => keyJson(key),
    text: () => keyDetails(key),
  });
}
