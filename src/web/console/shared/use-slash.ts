import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** Gives the focus to an input when the user presses `/`, unless a field has it or a dialog is open. */
export function useSlash(input: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (key !== "/" || ctrlKey || metaKey || altKey) return;
      if (target instanceof Element && target.closest("input, select, textarea, dialog")) return;
      event.preventDefault();
      input.current?.select();
      input.current?.focus();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}
