import { ScopeHint } from "../shared/scope-hint.tsx";
import { useTitle } from "../shared/use-title.ts";
import { HoldsSection } from "./holds-section.tsx";
import { OrdersSection } from "./orders-section.tsx";

const sections = [
  { id: "placed", title: "Orders", component: OrdersSection },
  { id: "holds", title: "Holds", component: HoldsSection },
] as const;

/** The orders and holds of the account that the key belongs to. */
export function StoreView({ path }: { path: readonly string[] }) {
  const [id = "placed"] = path;
  const section = sections.find((each) => each.id === id) ?? sections[0];
  useTitle(section.title);
  return (
    <>
      <h1>Orders and holds</h1>
      <nav class="tabs" aria-label="Sections">
        {sections.map(({ id: each, title }) => (
          <a
            key={each}
            href={`#/orders/${each}`}
            aria-current={each === section.id ? "page" : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <section.component />
      <ScopeHint
        offers={[["store:write", "place and cancel orders, and place, change and release holds"]]}
      />
    </>
  );
}
