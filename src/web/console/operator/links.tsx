/** Links to an account of the operator view. */
export function AccountLink(props: { readonly accountId: string; readonly name?: string }) {
  const { accountId, name } = props;
  return (
    <a href={`#/operator/accounts/${accountId}`} class={name ? "" : "id"}>
      {name || accountId}
    </a>
  );
}

/** Shows a name and the id below it. */
export function NameAndId({ name, id }: { readonly name: string; readonly id: string }) {
  return (
    <div class="name-and-id">
      <span>{name || "unnamed"}</span>
      <code>{id}</code>
    </div>
  );
}
