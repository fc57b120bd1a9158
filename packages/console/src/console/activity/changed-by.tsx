import type { InventoryChange } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { useAccountName } from "../operator/accounts/account-names.ts";
import { Ellipsis } from "../shared/ellipsis.tsx";
import { hasScope, session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import { useKeyNames, useKeysOf } from "./key-names.ts";

type Person = Pick<InventoryChange, "accountId" | "keyId">;

/** Returns the names of an account and a key, or their ids if the reader may not see the names. */
export function usePerson({ accountId, keyId }: Person) {
  const current = useStore(session);
  const { identity } = current;
  const isOperator = identity !== undefined && hasScope(current, "admin");
  const isOwn = accountId === identity?.accountId;
  const read = useAccountName(isOperator && !isOwn && accountId !== "" ? accountId : undefined);
  useKeysOf(accountId);
  const name = useKeyNames().get(keyId) || keyId;
  return {
    account: (isOwn ? identity?.accountName : read) || accountId,
    key: keyId !== "" && keyId === identity?.keyId ? `${name} (this key)` : name,
    isOperator,
  };
}

/** The account and the key that made a change. */
export function ChangedBy({ change }: { change: InventoryChange }) {
  const { account, key, isOperator } = usePerson(change);
  const { accountId, keyId } = change;
  const href = `#/operator/accounts/${accountId}`;
  return (
    accountId && (
      <div class="name-and-id">
        <Ellipsis text={account} {...(isOperator && { href })} />
        <span class="detail" title={keyId && `API key ${keyId}`}>
          {key}
        </span>
      </div>
    )
  );
}
