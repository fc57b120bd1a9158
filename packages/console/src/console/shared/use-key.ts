import { useEffect } from "preact/hooks";

/** Calls a function when the user presses a key, unless a field has the focus or a dialog is open. */
export function useKey(key: string, onPress: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { ctrlKey, metaKey, altKey, target } = event;
      if (event.key !== key || ctrlKey || metaKey || altKey) return;
      if (target instanceof Element && target.closest("input, select, textarea, dialog")) return;
      event.preventDefault();
      onPress();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}
