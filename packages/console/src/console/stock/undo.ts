import { petText } from "../pets/names.ts";
import { type CallFault, faultOf } from "../shared/call-fault.ts";
import { session } from "../shared/session.ts";
import { showToast } from "../shared/toasts.tsx";

let hideLast = () => {};

/**
 * Reports a change, and offers to undo it until the next change is made.
 *
 * @param text the change that was made, such as `Pet 1 has the quantity 5 now.`
 * @param undo makes a change back and returns what is so now; undefined if it has left a later change alone. It must send the version that the change has resulted in
 * as its condition, so that it fails with `VERSION_MISMATCH` if somebody else has changed the pet in the meantime. It
 * can be called again after another error, so it must send the same idempotency key each time.
 */
export function offerUndo(text: string, undo: () => Promise<string | undefined>): void {
  hideLast();
  hideLast = showToast(text, { label: "Undo", run: () => void attempt(undo) });
}

async function attempt(undo: () => Promise<string | undefined>): Promise<void> {
  const { key } = session.get();
  try {
    const now = await undo();
    showToast(now === undefined ? leftText() : `Undone. ${now}`);
  } catch (error) {
    const fault = faultOf(error);
    if (isFinal(fault)) showToast(leftText(fault.facts.petId));
    else if (key === session.get().key) offerUndo(`Not undone. ${fault.message}`, undo);
  }
}

/** Makes the parts of a change back, each on its own. Those that cannot be made back any more are left. */
export function undoAll(parts: readonly (() => Promise<unknown>)[]): () => Promise<string> {
  return async () => {
    const refused: string[] = [];
    for (const undo of parts) {
      try {
        await undo();
      } catch (error) {
        const fault = faultOf(error);
        if (!isFinal(fault) || parts.length === 1) throw error;
        refused.push(fault.message);
      }
    }
    const done = parts.length - refused.length;
    if (refused.length === 0) return "The quantities are as before.";
    return `${done} of ${parts.length} parts are as before. Of the others: ${refused[0]}`;
  };
}

const finalReasons: readonly (string | undefined)[] = ["VERSION_MISMATCH", "PET_NOT_FOUND"];

function isFinal({ reason }: CallFault): boolean {
  return finalReasons.includes(reason);
}

function leftText(petId?: string): string {
  const pet = petId === undefined ? "a pet" : petText(BigInt(petId));
  return `Not undone, because ${pet} was changed again in the meantime. Nothing is changed.`;
}

// Another key must not undo what this one has changed.
let lastKey = session.get().key;
session.subscribe(() => {
  const { key } = session.get();
  if (key !== lastKey) hideLast();
  lastKey = key;
});
