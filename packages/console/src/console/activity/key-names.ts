import { useEffect } from "preact/hooks";
import { admin, usage } from "../shared/api.ts";
import { hasScope, session } from "../shared/session.ts";
import { createStore, useStore } from "../shared/store.ts";

/** Names by key id. */
const names = createStore<ReadonlyMap<string, string>>(new Map());
/** Accounts whose keys were read. */
const asked = new Set<string>();

/** Returns the names of keys that were read so far, by key id. */
export const useKeyNames = (): ReadonlyMap<string, string> => useStore(names);

/** Reads the names of the keys of an account once, if the key of this tab may see them. */
export function useKeysOf(accountId: string): void {
  const current = useStore(session);
  const { identity } = current;
  const isOwn = accountId === identity?.accountId;
  // Without the identity, the scopes are not known.
  const mayRead = accountId !== "" && (isOwn || (identity && hasScope(current, "admin")));
  useEffect(() => {
    if (!mayRead || asked.has(accountId)) return;
    asked.add(accountId);
    const reading = isOwn
      ? usage.getUsage({}).then((report) => report.usage?.keys ?? [])
      : admin.listKeys({ accountId }).then(({ keys }) => keys);
    reading.then(
      (keys) =>
        names.set(new Map([...names.get(), ...keys.map((key) => [key.keyId, key.name] as const)])),
      // The ids stand without names until another row of the account appears.
      () => asked.delete(accountId),
    );
  }, [accountId, mayRead]);
}
