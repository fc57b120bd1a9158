import { useEffect, useRef } from "preact/hooks";
import type { Service } from "./model.ts";
import { Verb } from "./verb.tsx";

/** The list of services and methods. On a phone it is closed until it is used. */
export function Navigation({
  services,
  current,
}: {
  services: readonly Service[];
  /** The method or service that is shown. */
  current: string | undefined;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const wide = matchMedia("(min-width: 900px)");
    const update = () => {
      if (details.current) details.current.open = wide.matches;
    };
    update();
    wide.addEventListener("change", update);
    return () => wide.removeEventListener("change", update);
  }, [current]);
  return (
    <details class="contents" ref={details}>
      <summary>Contents</summary>
      <nav aria-label="Contents">
        <a href="#/" aria-current={current === undefined ? "page" : undefined}>
          Introduction
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
