import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

/** A modal dialog. Escape closes it, and the focus returns to the element that had it before. */
export function Dialog(props: { title: string; onClose(): void; children: ComponentChildren }) {
  const { title, onClose, children } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the user can type.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = ref.current;
    dialog?.showModal();
    // Otherwise the button that closes the dialog would have the focus.
    (dialog?.querySelector<HTMLElement>("input, select") ?? dialog)?.focus();
    return () => {
      // While it is open, nothing outside can get the focus.
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      tabIndex={-1}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => {
        // It must not close an editor below the dialog, too.
        if (event.key === "Escape") event.stopPropagation();
      }}
    >
      <div class="dialog-header">
        <h2 id={id}>{title}</h2>
        <button type="button" class="button-quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </div>
      {children}
    </dialog>
  );
}
