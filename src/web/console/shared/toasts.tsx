import { createStore, useStore } from "./store.ts";

interface Toast {
  readonly id: number;
  readonly text: string;
}

/** How long a toast is visible, in milliseconds. */
const lifetimeMs = 6_000;
/** Most toasts at once. */
const most = 4;

const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

/** Shows a short message, such as the success of a change. Screen readers read it. */
export function showToast(text: string): void {
  lastId += 1;
  const toast = { id: lastId, text };
  toasts.set([...toasts.get(), toast].slice(-most));
  setTimeout(() => toasts.set(toasts.get().filter((each) => each !== toast)), lifetimeMs);
}

/** The messages that are visible now. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {useStore(toasts).map(({ id, text }) => (
        <p key={id} class="toast">
          {text}
        </p>
      ))}
    </div>
  );
}
