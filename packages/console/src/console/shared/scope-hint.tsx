import { hasScope, session } from "./session.ts";
import { useStore } from "./store.ts";

/** Says in one line which scopes would allow what the page does not offer to this key. */
export function ScopeHint(props: { offers: readonly (readonly [scope: string, what: string])[] }) {
  const current = useStore(session);
  const missing = props.offers.filter(([scope]) => !hasScope(current, scope));
  if (missing.length === 0) return null;
  return (
    <p class="scope-hint">
      {missing.map(([scope, what], index) => (
        <span key={scope}>
          {index === 0 ? "To " : "; to "}
          {what}, a key needs the scope <code>{scope}</code>
        </span>
      ))}
      .
    </p>
  );
}
