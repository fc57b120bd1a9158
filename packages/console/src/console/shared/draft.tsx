import { useEffect } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { createStore, useStore } from "./store.ts";

/** The values that a user has typed and not saved, such as `The new quantity of pet 7`; undefined if there are none. */
const draft = createStore<string | undefined>(undefined);
/** What the user has asked for while there was a draft. */
const waiting = createStore<(() => void) | undefined>(undefined);

/** Guards a draft while the component is shown. @param name undefined while nothing is typed */
export function useDraft(name: string | undefined): void {
  useEffect(() => {
    if (name === undefined) return;
    draft.set(name);
    addEventListener("beforeunload", askToStay);
    return () => {
      draft.set(undefined);
      waiting.set(undefined);
      removeEventListener("beforeunload", askToStay);
    };
  }, [name]);
}

/** Keeps the page open until the user has agreed to leave it. */
export function askToStay(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Does something that would lose a draft: at once if there is none, else after the user has agreed. */
export function afterDraft(run: () => void): void {
  if (draft.get() === undefined) run();
  else waiting.set(run);
}

/** Closes an editor by Escape, after the user has agreed to lose the draft. */
export function closeByEscape(event: KeyboardEvent, close: () => void): void {
  if (event.key !== "Escape") return;
  // It would close the question, too.
  event.preventDefault();
  afterDraft(close);
}

/** Asks before a link of the page loses a draft. */
export function guardLinks(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const hash = link?.getAttribute("href") ?? "";
  if (draft.get() === undefined || !hash.startsWith("#") || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  afterDraft(() => {
    location.hash = hash;
  });
}

/** The question whether to lose the draft. */
export function DraftQuestion() {
  const run = useStore(waiting);
  const name = useStore(draft);
  if (!run) return null;
  const close = () => waiting.set(undefined);
  return (
    <Dialog title="Discard what you typed?" onClose={close}>
      <p>{name} is not saved.</p>
      <div class="form-buttons">
        <button
          type="button"
          onClick={() => {
            close();
            draft.set(undefined);
            run();
          }}
        >
          Discard
        </button>
        <button type="button" class="button-main" onClick={close}>
          Keep editing
        </button>
      </div>
    </Dialog>
  );
}
