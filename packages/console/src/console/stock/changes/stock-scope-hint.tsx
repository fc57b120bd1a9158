import { ScopeHint } from "../../shared/scope-hint.tsx";

/** Says which scopes would allow the changes of the stock that the page does not offer. */
export function StockScopeHint() {
  return (
    <ScopeHint
      offers={[
        ["inventory:write", "change quantities"],
        ["catalog:write", "add, import, edit and remove pets"],
      ]}
    />
  );
}
