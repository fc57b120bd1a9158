import { CopyButton } from "../console/shared/copy-button.tsx";
import { createStore, useStore } from "../console/shared/store.ts";
import { Choice } from "./choice.tsx";
import { CodeBlock } from "./code-block.tsx";
import type { Call, Method } from "./model.ts";
import { packageRoute } from "./package-page.tsx";
import { curlOf, type Inputs, keyVariable, requestOf } from "./request.ts";

/** The chosen language. It stays when another method is shown. */
const language = createStore("curl");

/** Shows the call as a program in the chosen language. The curl command has what the form contains. */
export function Samples({
  call,
  inputs,
  samples,
}: {
  call: Call;
  inputs: Inputs;
  samples: Method["samples"];
}) {
  const chosen = useStore(language);
  const texts: Readonly<Record<string, string>> = {
    ...(!call.notCallable && { curl: curlOf(requestOf(call, inputs), location.origin) }),
    ...samples,
  };
  const names = Object.keys(texts);
  const shown = names.includes(chosen) ? chosen : names[0];
  const text = shown === undefined ? undefined : texts[shown];
  if (text === undefined) return null;
  return (
    <section class="samples">
      <h2>Sample</h2>
      <div class="samples-bar">
        <Choice
          label="Language"
          options={names.map((name) => [name, name])}
          chosen={shown}
          onChoose={language.set}
        />
        <CopyButton key={text} text={text} />
      </div>
      <CodeBlock text={text} label={`Sample in ${shown}`} />
      {shown !== "curl" && (
        <p class="muted">
          Install the <a href={packageRoute(shown ?? "")}>package for {shown}</a>. Set{" "}
          <code>INVENTORY_URL</code> to <code>{location.origin}</code> and{" "}
          <code>{keyVariable}</code> to your key.
        </p>
      )}
    </section>
  );
}
