import { useEffect } from "preact/hooks";

/** Gives the page a title while the component is shown: `Pet 7 · Stock · Inventory`. */
export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, "Inventory"].join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}
