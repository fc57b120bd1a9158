import { CopyButton } from "../console/shared/copy-button.tsx";
import { CodeBlock } from "./code-block.tsx";
import { KeyField } from "./key-field.tsx";
import type { Reference } from "./model.ts";
import { packageLanguages, packageRoute } from "./package-page.tsx";
import { curlOf, keyVariable, requestOf } from "./request.ts";

/** Says how to get a key and a first response, and what to read next. */
export function QuickStart({ reference }: { reference: Reference }) {
  const list = reference.services
    .flatMap(({ methods }) => methods)
    .find(({ name }) => name === "ListInventory")?.calls[0];
  const request = list && requestOf(list, { values: {}, body: "" });
  const commands = request && `export ${keyVariable}=inv_…\n${curlOf(request, location.origin)}`;
  return (
    <ol class="quick-start" aria-label="Quick start">
      <li>
        <h2>Get an API key</h2>
        <p>
          A service with sample data prints one when it starts. Otherwise, ask the operator, who
          makes one with <code>inventory keys create</code>. Enter it here to try calls on this
          page.
        </p>
        <KeyField />
      </li>
      {commands && (
        <li>
          <h2>Read the stock</h2>
          <CodeBlock text={commands} label="First call" />
          <CopyButton text={commands} />
        </li>
      )}
      <li>
        <h2>Next steps</h2>
        <p>
          <a href="#/inventory.v1.InventoryService/AdjustInventory">Change a quantity</a>,{" "}
          <a href="#/inventory.v1.InventoryService/WatchInventory">watch the stock</a>, or{" "}
          <a href="#/store.v1.StoreService/PutHold">hold units</a> for a customer. In programs, use
          the package for{" "}
          {packageLanguages.map((language, at) => (
            <span key={language}>
              {at > 0 && (at < packageLanguages.length - 1 ? ", " : " or ")}
              <a href={packageRoute(language)}>{language}</a>
            </span>
          ))}
          : they retry calls, read pages, and resume watches.
        </p>
      </li>
    </ol>
  );
}
