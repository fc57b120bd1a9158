import type { CallContext } from "../../common/call-context.ts";
import { fieldsInvalid } from "../../contract/errors.ts";
import type { AccountStore } from "../../stores/account-store.ts";
import { pageTokenStale } from "../inventory/page-token.ts";

/** Checks that no field is set that another one excludes. @param others by proto name @throws ConnectError invalid_argument */
export function checkAbsent(others: Readonly<Record<string, unknown>>, field: string): void {
  const violations = Object.entries(others)
    .filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value))
    .map(([name]) => ({ field: name, description: `must be absent with ${field}` }));
  if (violations.length > 0) throw fieldsInvalid(violations);
}

/**
 * Checks the account and the key of a page token. Call it if its page is the last one and empty: then the data may have
 * been replaced by older data, which lacks them and all later ones. It is no error if the account was deleted.
 *
 * @throws ConnectError invalid_argument when they never existed in this data
 */
export async function checkPosition(
  store: AccountStore,
  accountId: string,
  keyId: string | undefined,
  context: CallContext,
): Promise<void> {
  if (!(await store.wasCreated(accountId, context))) throw pageTokenStale();
  if (keyId === undefined) return;
  const keys = await store.listKeys(accountId, context);
  if (keys && !keys.some((key) => key.keyId === keyId)) throw pageTokenStale();
}
