import type { TargetedEvent } from "preact";
import { useRef } from "preact/hooks";

type Input = HTMLInputElement;

/**
 * Returns handlers that select the value of an input when it gets the focus, so that typing replaces the value. Browsers
 * put the caret before the value when a page moves the focus.
 */
export function useSelectOnFocus() {
  const hasFocus = useRef(false);
  return {
    onFocus({ currentTarget }: TargetedEvent<Input>) {
      // The window that got the focus back must not select what the user is typing.
      if (!hasFocus.current) currentTarget.select();
      hasFocus.current = true;
    },
    onBlur({ currentTarget }: TargetedEvent<Input>) {
      hasFocus.current = document.activeElement === currentTarget;
    },
  };
}

/** The same for a number, whose value the first click selects, too: there, a caret at a random place does harm. */
export function useSelectNumberOnFocus() {
  return {
    ...useSelectOnFocus(),
    onMouseDown(event: TargetedEvent<Input, MouseEvent>) {
      if (document.activeElement === event.currentTarget || event.button !== 0) return;
      event.preventDefault();
      event.currentTarget.focus();
    },
  };
}
