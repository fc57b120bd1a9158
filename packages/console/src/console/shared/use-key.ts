import { useEffect } from "preact/hooks";

/** Calls a function when the user presses `/`, unless a field has the focus or a dialog is open. */
export function useSlash(onSlash: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (key !== "/" || ctrlKey || metaKey || altKey) return;
      if (target instanceof Element && target.closest("input, select, textarea, dialog")) return;
      event.preventDefault();
      onSlash();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}
