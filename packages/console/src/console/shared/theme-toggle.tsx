import { useStore } from "./store.ts";
import { nextTheme, theme } from "./theme.ts";

const labels = { auto: "Theme: system", light: "Theme: light", dark: "Theme: dark" } as const;
const icons = { auto: "◐", light: "☀", dark: "☾" } as const;

/** Changes between the themes: that of the system, light, dark. */
export function ThemeToggle() {
  const chosen = useStore(theme);
  return (
    <button
      type="button"
      class="button-quiet"
      aria-label={labels[chosen]}
      title={labels[chosen]}
      onClick={nextTheme}
    >
      <span aria-hidden="true">{icons[chosen]}</span>
    </button>
  );
}
