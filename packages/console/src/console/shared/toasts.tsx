import { focusMain } from "./skip-link.tsx";
import { createStore, useStore } from "./store.ts";

/** What a button of a toast does. */
interface ToastAction {
  readonly label: string;
  run(): void;
}

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action: ToastAction | undefined;
}

/** How long a toast is visible, in milliseconds. */
const lifetimeMs = 6_000;
/** How long a toast with a button is visible, in milliseconds. */
const actionLifetimeMs = 60_000;
/** Most toasts at once. */
const most = 4;

const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

/**
 * Shows a short message, such as the success of a change. Screen readers read it.
 *
 * @param action a button of the toast, which hides it
 * @returns a function that hides the toast
 */
export function showToast(text: string, action?: ToastAction): () => void {
  lastId += 1;
  const toast = { id: lastId, text, action };
  const hide = () => toasts.set(toasts.get().filter((each) => each !== toast));
  toasts.set([...toasts.get(), toast].slice(-most));
  setTimeout(hide, action ? actionLifetimeMs : lifetimeMs);
  return hide;
}

/** The messages that are visible now. */
export function Toasts() {
  const close = (toast: Toast) => {
    toasts.set(toasts.get().filter((each) => each !== toast));
    focusMain();
  };
  return (
    <div class="toasts" role="status">
      {useStore(toasts).map((toast) => (
        <div key={toast.id} class="toast">
          <p>{toast.text}</p>
          {toast.action && (
            <>
              <button
                type="button"
                onClick={() => {
                  close(toast);
                  toast.action?.run();
                }}
              >
                {toast.action.label}
              </button>
              <button type="button" aria-label="Dismiss" onClick={() => close(toast)}>
                ✕
              </button>
            </>
          )}
        </div>
      ))}
    </div>
  );
}
