import { useEffect, useState } from "preact/hooks";
import { useRoute } from "../console/shared/route.ts";
import { ThemeToggle } from "../console/shared/theme-toggle.tsx";
import { Introduction } from "./introduction.tsx";
import { KeyField } from "./key-field.tsx";
import { MethodPage } from "./method-page.tsx";
import type { Method, Reference, Service } from "./model.ts";
import { Navigation } from "./navigation.tsx";
import { readReference } from "./read-reference.ts";
import { ServicePage } from "./service-page.tsx";

/** The reference page. */
export function App() {
  const [reference, setReference] = useState<Reference>();
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    readReference().then(setReference, (error: unknown) => setFault(String(error)));
  }, []);
  return (
    <>
      <button type="button" class="skip-link" onClick={focusMain}>
        Skip to content
      </button>
      <header class="page-header">
        <a class="brand" href="#/">
          Inventory Service API
        </a>
        <nav aria-label="Pages">
          <a href="/">Console</a>
        </nav>
        <KeyField />
        <ThemeToggle />
      </header>
      {reference ? (
        <Contents reference={reference} />
      ) : (
        <main id="main" tabIndex={-1}>
          {fault ? (
            <p role="alert" class="banner banner-error">
              The descriptions cannot be read ({fault}). Reload the page.
            </p>
          ) : (
            <p class="muted">Loading…</p>
          )}
        </main>
      )}
    </>
  );
}

function focusMain(): void {
  document.getElementById("main")?.focus();
}

function Contents({ reference }: { reference: Reference }) {
  const [serviceName, methodName] = useRoute();
  const service = reference.services.find(({ name }) => name === serviceName);
  const method = service?.methods.find(({ name }) => name === methodName);
  useEffect(() => {
    scrollTo(0, 0);
    document.title = titleOf(service, method);
  }, [service, method]);
  return (
    <div class="reference">
      <Navigation services={reference.services} current={method?.rpc ?? service?.name} />
      <main id="main" tabIndex={-1}>
        {method ? (
          <MethodPage key={method.rpc} method={method} />
        ) : service ? (
          <ServicePage service={service} />
        ) : (
          <Introduction reference={reference} />
        )}
      </main>
    </div>
  );
}

function titleOf(service: Service | undefined, method: Method | undefined): string {
  return [method?.name, !method && service?.title, "Inventory Service API"]
    .filter(Boolean)
    .join(" · ");
}
