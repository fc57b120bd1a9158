import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useTitle } from "../shared/use-title.ts";
import { AccountsSection } from "./accounts/accounts-section.tsx";
import { LimitedSection, TopSection } from "./accounts/top-section.tsx";
import { AuditSection } from "./audit/audit-section.tsx";
import { HoldsSection } from "./holds/holds-section.tsx";
import { BansSection } from "./keys/bans-section.tsx";
import { KeysSection } from "./keys/keys-section.tsx";
import { OrdersSection } from "./orders/orders-section.tsx";

interface Section {
  /** The second part of the route: `#/operator/accounts`. */
  readonly id: string;
  readonly title: string;
  /** Shows the section. @param path the parts of the route after the id */
  readonly component: ComponentType<{ path: readonly string[] }>;
}

const sections: readonly Section[] = [
  { id: "accounts", title: "Accounts", component: AccountsSection },
  { id: "keys", title: "Keys", component: KeysSection },
  { id: "bans", title: "Bans", component: BansSection },
  { id: "orders", title: "Orders", component: OrdersSection },
  { id: "holds", title: "Holds", component: HoldsSection },
  { id: "limited", title: "Limited accounts", component: LimitedSection },
  { id: "top", title: "Busiest accounts", component: TopSection },
  { id: "audit", title: "Audit trail", component: AuditSection },
];

/** Administers accounts, keys, bans, orders and holds, and shows the audit trail. */
export function OperatorView({ path }: { path: readonly string[] }) {
  const [id = "accounts", ...rest] = path;
  const section = sections.find((each) => each.id === id);
  // biome-ignore lint/plugin: the parts of a path
  useTitle(...rest, section?.title ?? "No such section", "Operator");
  const tabs = useRef<HTMLElement>(null);
  useEffect(
    () => tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }),
    [id],
  );
  return (
    <>
      <h1>Operator</h1>
      <nav class="tabs" aria-label="Sections" ref={tabs}>
        {sections.map(({ id, title }) => (
          <a
            key={id}
            href={`#/operator/${id}`}
            aria-current={id === section?.id ? "page" : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {section ? (
        <section.component key={rest.join("/")} path={rest} />
      ) : (
        <p>
          There is no such section. <a href="#/operator/accounts">Show the accounts</a>
        </p>
      )}
    </>
  );
}
