import { useId, useState } from "preact/hooks";
import { readKeyText } from "../console/shared/key-text.ts";
import { session, signIn, signOut } from "../console/shared/session.ts";
import { useStore } from "../console/shared/store.ts";

/** Takes the API key for the calls of this page. The console in the same tab uses the same key. */
export function KeyField() {
  const { key } = useStore(session);
  const [fault, setFault] = useState<string>();
  const id = useId();
  if (key !== undefined) {
    return (
      <div class="key-field">
        <span>
          Key <code>{key.slice(0, 8)}…</code>
        </span>
        <button type="button" onClick={() => signOut()}>
          Forget
        </button>
      </div>
    );
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const read = readKeyText(String(new FormData(form).get("key") ?? ""));
    setFault("fault" in read ? read.fault : undefined);
    if ("key" in read) signIn(read.key, undefined);
  };
  return (
    <form class="key-field" noValidate onSubmit={onSubmit}>
      <label for={id}>API key</label>
      <input
        id={id}
        name="key"
        type="password"
        autocomplete="off"
        spellcheck={false}
        placeholder="inv_…"
        aria-describedby={`${id}-note`}
        aria-invalid={fault !== undefined}
      />
      <button type="submit">Use</button>
      <p id={`${id}-note`} class="field-error" role="status">
        {fault}
      </p>
    </form>
  );
}
