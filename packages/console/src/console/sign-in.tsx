import { useId, useState } from "preact/hooks";
import { ErrorBanner } from "./shared/error-banner.tsx";
import { identify } from "./shared/identity.ts";
import { readKeyText } from "./shared/key-text.ts";
import { session, signIn } from "./shared/session.ts";
import { useStore } from "./shared/store.ts";
import { ThemeToggle } from "./shared/theme-toggle.tsx";
import { useAction } from "./shared/use-action.ts";
import { useTitle } from "./shared/use-title.ts";

/** Asks for an API key and checks it with a call. */
export function SignIn() {
  useTitle("Sign in");
  const { endedBy } = useStore(session);
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string>();
  const id = useId();
  const action = useAction(async (key: string) => signIn(key, await identify(key)));

  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    action.clear();
    const read = readKeyText(text);
    setFault("fault" in read ? read.fault : undefined);
    if ("key" in read) void action.run(read.key);
    else document.getElementById(id)?.focus();
  };

  return (
    <main class="sign-in">
      <form class="card form" noValidate onSubmit={onSubmit}>
        <div class="sign-in-title">
          <h1>Inventory</h1>
          <ThemeToggle />
        </div>
        <ErrorBanner fault={action.fault ?? endedBy} />
        <div class="field">
          <label for={id}>API key</label>
          <input
            id={id}
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder="inv_…"
            value={text}
            aria-describedby={`${id}-note`}
            aria-invalid={fault !== undefined}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <p id={`${id}-note`} class={fault ? "field-error" : "field-hint"}>
            {fault ?? "The key stays in this tab and is forgotten when you close it."}
          </p>
        </div>
        <button type="submit" class="button-main" disabled={action.isPending}>
          Sign in
        </button>
      </form>
    </main>
  );
}
