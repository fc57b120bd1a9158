import { Ellipsis } from "../shared/ellipsis.tsx";
import { useAccountName } from "./accounts/account-names.ts";

/** Shows the name of an account, which leads to its page, and its id below it. @param name read if it is absent */
export function AccountName(props: { readonly accountId: string; readonly name?: string }) {
  const { accountId } = props;
  const read = useAccountName(props.name === undefined ? accountId : undefined);
  const name = props.name ?? read;
  const href = `#/operator/accounts/${accountId}`;
  return (
    <div class="name-and-id">
      {name ? (
        <Ellipsis text={name} href={href} />
      ) : (
        <a href={href}>{name === "" ? "no such account" : "…"}</a>
      )}
      <code>{accountId}</code>
    </div>
  );
}

/** Shows the name of a key and its id below it. */
export function KeyName({ name, keyId }: { readonly name: string; readonly keyId: string }) {
  return (
    <div class="name-and-id">
      <Ellipsis text={name || "unnamed"} />
      <code>{keyId}</code>
    </div>
  );
}
