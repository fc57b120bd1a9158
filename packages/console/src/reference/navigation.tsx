import { useEffect, useRef } from "preact/hooks";
import type { Service } from "./model.ts";
import { Search } from "./search.tsx";
import { Verb } from "./verb.tsx";

/** The search, and the list of services and methods. On a phone both are closed until they are used. */
export function Navigation({
  services,
  current,
}: {
  services: readonly Service[];
  /** The method, service or other page that is shown. */
  current: string | undefined;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const wide = matchMedia("(min-width: 900px)");
    const update = () => {
      if (details.current) details.current.open = wide.matches;
    };
    update();
    details.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    wide.addEventListener("change", update);
    return () => wide.removeEventListener("change", update);
  }, [current]);
  return (
    <details class="contents" ref={details}>
      <summary>Contents and search</summary>
      <Search
        services={services}
        onFocus={() => {
          if (details.current) details.current.open = true;
        }}
      />
      <nav aria-label="Contents">
        <a href="#/" aria-current={current === undefined ? "page" : undefined}>
          Quick start
        </a>
        <a href="#/clients" aria-current={current === "clients" ? "page" : undefined}>
          Packages
        </a>
        {services.map(({ name, title, methods }) => (
          <section key={name} aria-label={title}>
            <a
              class="contents-service"
              href={`#/${name}`}
              aria-current={current === name ? "page" : undefined}
            >
              {title}
            </a>
            {methods.map((method) => (
              <a
                key={method.rpc}
                href={`#/${name}/${method.name}`}
                aria-current={current === method.rpc ? "page" : undefined}
              >
                <span class={method.isDeprecated ? "deprecated" : ""}>{method.name}</span>
                <Verb call={method.calls[0]} />
              </a>
            ))}
          </section>
        ))}
      </nav>
    </details>
  );
}
