import type { VNode } from "preact";
import { useState } from "preact/hooks";

/** The dialog that a view shows, if any. A view shows one at a time. */
export interface DialogSlot {
  readonly shown: VNode | undefined;
  open(dialog: VNode): void;
  close(): void;
}

/** Keeps the dialog that a view shows. */
export function useDialog(): DialogSlot {
  const [shown, setShown] = useState<VNode>();
  return { shown, open: (dialog) => setShown(dialog), close: () => setShown(undefined) };
}
