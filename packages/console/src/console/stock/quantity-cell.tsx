import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { petText } from "../pets/names.ts";
import { inventory } from "../shared/api.ts";
import { faultOf } from "../shared/call-fault.ts";
import { closeByEscape, useDraft } from "../shared/draft.tsx";
import { type Effect, largestQuantity, quantityEffect } from "../shared/effect.ts";
import { LargeEffectsDialog } from "../shared/effects.tsx";
import { randomId } from "../shared/random-id.ts";
import { showToast } from "../shared/toasts.tsx";
import { useAction } from "../shared/use-action.ts";
import { numberText } from "../text/number-text.ts";
import type { Item } from "./item.ts";
import { reportChange } from "./report-change.ts";

/** A quantity that becomes an input when it is pressed. Without `onOpen`, the user may not change it. */
export function QuantityCell(props: {
  item: Item;
  isOpen: boolean;
  onOpen: ((isOpen: boolean) => void) | undefined;
  children: ComponentChildren;
}) {
  const { item, isOpen, onOpen, children } = props;
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && document.activeElement === document.body) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (!onOpen) return children;
  if (isOpen) return <QuantityInput item={item} onClose={() => onOpen(false)} />;
  return (
    <button
      ref={button}
      type="button"
      class="quantity-button"
      aria-label={`${numberText(item.quantity)}: set the quantity of ${petText(item.petId)}`}
      onClick={() => onOpen(true)}
    >
      {children}
    </button>
  );
}

/** Sets the quantity of a pet by Enter, if it is still the one that the user has seen. Escape closes the input. */
function QuantityInput({ item, onClose }: { item: Item; onClose(): void }) {
  const { petId } = item;
  const [known, setKnown] = useState(item.quantity);
  const [text, setText] = useState(String(known));
  const [large, setLarge] = useState<readonly Effect[]>([]);
  const idempotencyKey = useRef(randomId());
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const isChanged = text.trim() !== String(known);
  useDraft(isChanged ? `The new quantity of ${petText(petId)}` : undefined);
  const quantity = /^\d+$/.test(text.trim()) ? Number(text) : largestQuantity + 1;

  const action = useAction(async () => {
    setLarge([]);
    try {
      const response = await inventory.updateInventory({
        petId,
        update: { quantity },
        expectedQuantity: known,
        idempotencyKey: idempotencyKey.current,
      });
      reportChange(petId, known, response);
      onClose();
    } catch (error) {
      const { reason, message, facts } = faultOf(error);
      if (reason !== "QUANTITY_MISMATCH") return void showToast(`Not saved. ${message}`);
      const now = Number(facts.quantity);
      setKnown(now);
      idempotencyKey.current = randomId();
      showToast(
        `Not saved: the quantity of ${petText(petId)} was ${numberText(known)} and is ${numberText(now)} now. Press Enter to save yours.`,
      );
    }
  });
  const save = () => {
    if (!isChanged) return onClose();
    if (quantity > largestQuantity) {
      return void showToast(`A quantity is a whole number from 0 to ${largestQuantity}.`);
    }
    const effects = quantityEffect("Quantity", known, quantity).filter(({ isLarge }) => isLarge);
    if (effects.length > 0) setLarge(effects);
    else void action.run();
  };
  return (
    <>
      <input
        ref={input}
        class="quantity-input"
        type="text"
        inputMode="numeric"
        autocomplete="off"
        aria-label={`Quantity of ${petText(petId)}`}
        aria-invalid={quantity > largestQuantity}
        value={text}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          idempotencyKey.current = randomId();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") save();
          closeByEscape(event, onClose);
        }}
        onBlur={() => {
          if (!isChanged) onClose();
        }}
      />
      {large.length > 0 && (
        <LargeEffectsDialog
          effects={large}
          submit="Save"
          onClose={() => setLarge([])}
          onConfirm={() => void action.run()}
        />
      )}
    </>
  );
}
