import { useEffect, useId, useRef, useState } from "preact/hooks";
import { goTo } from "../console/shared/route.ts";
import { focusMain } from "../console/shared/skip-link.tsx";
import { useKey } from "../console/shared/use-key.ts";
import type { Service } from "./model.ts";
import { searchMethods } from "./search-methods.ts";
import { Verb } from "./verb.tsx";

/**
 * Searches the methods while the user types. The focus stays in the field: the arrow keys choose a method, and Enter
 * opens it (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/). The key `/` moves the focus here.
 */
export function Search({
  services,
  onFocus,
}: {
  services: readonly Service[];
  /** Called before `/` moves the focus here. */
  onFocus(): void;
}) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const found = searchMethods(services, text);

  useKey("/", () => {
    onFocus();
    input.current?.focus();
  });
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const search = (next: string) => {
    setText(next);
    setActive(0);
  };
  const open = (at: number) => {
    const route = found[at]?.route;
    if (route === undefined) return;
    search("");
    goTo(route);
    focusMain();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => setActive((active + 1) % found.length),
      ArrowUp: () => setActive((active + found.length - 1) % found.length),
      Enter: () => open(active),
      Escape: () => (text === "" ? input.current?.blur() : search("")),
    };
    const action = actions[event.key];
    if (!action || (found.length === 0 && event.key !== "Escape")) return;
    event.preventDefault();
    action();
  };
  return (
    <search class="search">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Search the methods"
        aria-autocomplete="list"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${active}` : undefined}
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        placeholder="Name, intent or code: press /"
        value={text}
        onInput={(event) => search(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <p class="visually-hidden" role="status">
        {text && `${found.length} methods found`}
      </p>
      {text.trim() && found.length === 0 && <p class="muted">No method has these words.</p>}
      <div id={`${id}-list`} role="listbox" aria-label="Methods" hidden={found.length === 0}>
        {found.map(({ method: { name, rpc, calls } }, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
          <div
            key={rpc}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            onClick={() => open(at)}
          >
            <strong>{name}</strong> <Verb call={calls[0]} />
            <code>{calls[0]?.path}</code>
            <span>{calls[0]?.summary}.</span>
          </div>
        ))}
      </div>
    </search>
  );
}
