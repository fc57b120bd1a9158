import { useEffect } from "preact/hooks";
import type { Account } from "../../../../../../gen/admin/v1/admin_pb.ts";
import { admin } from "../../shared/api.ts";
import { createStore, useStore } from "../../shared/store.ts";

/** The most accounts that one call returns. */
const mostAtOnce = 100;

/** Names by account id. Empty for an account that does not exist. */
const names = createStore<ReadonlyMap<string, string>>(new Map());
/** Accounts whose names are being read. */
const wanted = new Set<string>();

/** Returns the name of an account. Reads it once, together with the other names of the view; undefined until then. */
export function useAccountName(accountId: string | undefined): string | undefined {
  const known = useStore(names);
  useEffect(() => {
    if (accountId === undefined || names.get().has(accountId) || wanted.has(accountId)) return;
    if (wanted.size === 0) setTimeout(() => void readNames());
    wanted.add(accountId);
  }, [accountId]);
  return accountId === undefined ? undefined : known.get(accountId);
}

/** Keeps the name of an account that was read for another purpose. */
export function noteAccountName({ accountId, name }: Account): void {
  names.set(new Map([...names.get(), [accountId, name]]));
}

/** If it fails, the ids stand without names until another view wants them. */
async function readNames(): Promise<void> {
  const ids = [...wanted];
  wanted.clear();
  for (let at = 0; at < ids.length; at += mostAtOnce) {
    const accountIds = ids.slice(at, at + mostAtOnce);
    await admin.listAccounts({ accountIds }).then(
      ({ accounts }) => {
        const found = accounts.map(({ accountId, name }) => [accountId, name] as const);
        names.set(
          new Map([...names.get(), ...accountIds.map((id) => [id, ""] as const), ...found]),
        );
      },
      () => {},
    );
  }
}
