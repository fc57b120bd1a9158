import { storedValue, storeValue } from "./browser-storage.ts";
import { createStore } from "./store.ts";

const themes = ["auto", "light", "dark"] as const;

/** `auto` follows the system. */
export type Theme = (typeof themes)[number];

const storageKey = "inventory.theme";
const stored = themes.find((each) => each === storedValue("localStorage", storageKey));

/** The chosen theme. */
export const theme = createStore<Theme>(stored ?? "auto");

/** Applies the chosen theme to the document now and after each change. */
export function applyTheme(): void {
  const apply = () => {
    document.documentElement.dataset.theme = theme.get();
    storeValue("localStorage", storageKey, theme.get());
  };
  apply();
  theme.subscribe(apply);
}

/** Chooses the next theme: that of the system, light, dark. */
export function nextTheme(): void {
  theme.set(themes[(themes.indexOf(theme.get()) + 1) % themes.length] ?? "auto");
}
