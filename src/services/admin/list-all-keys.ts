import { accountIdLength, keyIdLength } from "../../access/api-key.ts";
import { base32Class } from "../../access/base32.ts";
import { append } from "../../common/append.ts";
import type { CallContext } from "../../common/call-context.ts";
import {
  type AccountPosition,
  type AccountStore,
  type KeyPosition,
  type KeyRecord,
  oldestKeyFirst,
} from "../../stores/account-store.ts";
import { pageToken, positionOfPage } from "../inventory/page-token.ts";
import { checkPosition } from "./checks.ts";

const accountsAtOnce = 20;
/** Most accounts that one call reads. Accounts can have no keys. */
const maxAccounts = 60;
/** Most keys of a page, whatever its size: with names and networks, a key can have 4 kB. */
const maxKeys = 100;

/** A position in the list of all keys: after a key of an account, or after all of the account's keys. */
interface Position {
  readonly account: AccountPosition;
  readonly key: KeyPosition | undefined;
}

/** Returns a page of all keys, account by account, oldest first. @throws ConnectError invalid_argument for a wrong token */
export async function listAllKeys(
  store: AccountStore,
  token: string,
  limit: number,
  context: CallContext,
) {
  const start = positionOf(token);
  const page = await readPage(store, start, Math.min(limit, maxKeys), context);
  if (start && page.keys.length === 0 && page.nextPageToken === "") {
    await checkPosition(store, start.account.accountId, start.key?.keyId, context);
  }
  return page;
}

async function readPage(
  store: AccountStore,
  start: Position | undefined,
  limit: number,
  context: CallContext,
) {
  const keys: KeyRecord[] = [];
  let after = start?.account;

  /** Adds keys of an account until the page is full. @returns the token of the next page if keys are left */
  function add(account: AccountPosition, own: readonly KeyRecord[]): string | undefined {
    const room = limit - keys.length;
    append(keys, own.slice(0, room));
    if (own.length <= room) return undefined;
    return tokenOf({ account, key: room > 0 ? own[room - 1] : undefined });
  }

  if (start?.key) {
    const { account, key } = start;
    const own = (await store.listKeys(account.accountId, context)) ?? [];
    const next = add(
      account,
      own.filter((each) => oldestKeyFirst(each, key) > 0),
    );
    if (next !== undefined) return { keys, nextPageToken: next };
  }
  for (let read = 0; read < maxAccounts; read += accountsAtOnce) {
    const page = await store.listAccounts(after, accountsAtOnce, context);
    const lists = await Promise.all(
      page.accounts.map(({ accountId }) => store.listKeys(accountId, context)),
    );
    for (const [at, account] of page.accounts.entries()) {
      // A full page ends before the next account that has keys.
      const own = lists[at] ?? [];
      if (keys.length === limit && own.length > 0 && after) {
        return { keys, nextPageToken: tokenOf({ account: after, key: undefined }) };
      }
      const next = add(account, own);
      if (next !== undefined) return { keys, nextPageToken: next };
      after = account;
    }
    if (!page.next) return { keys, nextPageToken: "" };
    after = page.next;
  }
  return { keys, nextPageToken: after ? tokenOf({ account: after, key: undefined }) : "" };
}

function tokenOf({ account, key }: Position): string {
  const parts = [account.createdAt, account.accountId, ...(key ? [key.createdAt, key.keyId] : [])];
  return pageToken("key", parts.join(" "));
}

const accountForm = `(\\d{1,15}) (${base32Class}{${accountIdLength}})`;
const keyForm = `(\\d{1,15}) (${base32Class}{${keyIdLength}})`;
const form = new RegExp(`^${accountForm}(?: ${keyForm})?$`);

function positionOf(token: string): Position | undefined {
  const match = positionOfPage("key", token, form);
  if (!match) return undefined;
  const [, createdAt, accountId = "", keyCreatedAt, keyId] = match;
  return {
    account: { createdAt: Number(createdAt), accountId },
    key: keyId === undefined ? undefined : { createdAt: Number(keyCreatedAt), keyId },
  };
}
