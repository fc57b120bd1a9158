import { useEffect, useState } from "preact/hooks";
import { useRoute } from "../console/shared/route.ts";
import { SkipLink } from "../console/shared/skip-link.tsx";
import { ThemeToggle } from "../console/shared/theme-toggle.tsx";
import { Introduction } from "./introduction.tsx";
import { MethodPage } from "./method-page.tsx";
import type { Reference } from "./model.ts";
import { Navigation } from "./navigation.tsx";
import { PackagePage } from "./package-page.tsx";
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
      <SkipLink />
      <header class="page-header reference-header">
        <a class="brand" href="#/">
          Inventory Service API
        </a>
        <nav aria-label="Pages">
          <a href="/">Console</a>
        </nav>
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

function Contents({ reference }: { reference: Reference }) {
  const [serviceName, methodName, heading] = useRoute();
  const isPackage = serviceName === "clients";
  const service = reference.services.find(({ name }) => name === serviceName);
  const method = service?.methods.find(({ name }) => name === methodName);
  useEffect(() => {
    // The page of a package scrolls to the heading.
    if (!heading) scrollTo(0, 0);
    document.title = titleOf(isPackage ? "Packages" : (method?.name ?? service?.title));
  }, [serviceName, methodName, heading]);
  return (
    <div class="reference">
      <Navigation services={reference.services} current={method?.rpc ?? serviceName} />
      <main id="main" tabIndex={-1}>
        {method ? (
          <MethodPage key={method.rpc} method={method} />
        ) : service ? (
          <ServicePage service={service} />
        ) : isPackage ? (
          <PackagePage name={methodName} heading={heading} />
        ) : (
          <Introduction reference={reference} />
        )}
      </main>
    </div>
  );
}

function titleOf(page: string | undefined): string {
  return [page, "Inventory Service API"].filter(Boolean).join(" · ");
}
