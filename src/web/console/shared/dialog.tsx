import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

/** A modal dialog. Escape closes it, and the focus returns to the element that had it before. */
export function Dialog(props: { title: string; onClose(): void; children: ComponentChildren }) {
  const { title, onClose, children } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.showModal();
    // Otherwise the button that closes the dialog would have the focus.
    ref.current?.querySelector<HTMLElement>("input, select")?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header class="dialog-header">
        <h2 id={id}>{title}</h2>
        <button type="button" class="button-quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
