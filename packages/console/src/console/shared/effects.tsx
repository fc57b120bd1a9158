import { countText, numberText } from "../text/number-text.ts";
import { Dialog } from "./dialog.tsx";
import type { Effect } from "./effect.ts";

/** Most effects that a form shows while the user types. */
const mostShown = 5;
/** Most effects that the user is asked about one by one. */
const mostAsked = 100;

/** Shows what a form would change. */
export function EffectList({ effects }: { effects: readonly Effect[] }) {
  return (
    <div class="effects" role="status">
      <Lines effects={effects} most={mostShown} />
    </div>
  );
}

/** Asks whether large changes are meant. The second click of a double click does not confirm them. */
export function LargeEffectsDialog(props: {
  readonly effects: readonly Effect[];
  /** The text of the button that began the change. */
  readonly submit: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const { effects, submit, onConfirm, onClose } = props;
  return (
    <Dialog title="Is this right?" onClose={onClose}>
      <p>{countText(effects.length, "change is", "changes are")} unusually large:</p>
      <div class="banner banner-warning" role="alert">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a long list. */}
        <div class="faults" tabIndex={0}>
          <Lines effects={effects} most={mostAsked} />
        </div>
      </div>
      <div class="form-buttons">
        <button
          type="button"
          onClick={({ detail }) => {
            if (detail < 2) onConfirm();
          }}
        >
          {submit} anyway
        </button>
        <button type="button" class="button-main" onClick={onClose}>
          Correct it
        </button>
      </div>
    </Dialog>
  );
}

function Lines({ effects, most }: { effects: readonly Effect[]; most: number }) {
  const more = effects.length - most;
  return (
    <>
      {effects.slice(0, most).map(({ text }) => (
        <p key={text}>{text}</p>
      ))}
      {more > 0 && <p>and {numberText(more)} more</p>}
    </>
  );
}
