import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  AdjustInventoryRequestSchema,
  type AdjustInventoryResponse,
  UpdateInventoryRequestSchema,
  type UpdateInventoryResponse,
} from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { petText } from "../pets/names.ts";
import { inventory } from "../shared/api.ts";
import { faultOf } from "../shared/call-fault.ts";
import { closeByEscape, useDraft } from "../shared/draft.tsx";
import { quantityEffect } from "../shared/effect.ts";
import { NumberField, SelectField } from "../shared/field.tsx";
import { Form } from "../shared/form.tsx";
import { numberText } from "../text/number-text.ts";
import type { Item } from "./item.ts";
import { OriginFields, originOf } from "./origin-fields.tsx";
import { reportChange } from "./report-change.ts";

/**
 * Changes the quantity of a pet: sets it or adds to it. The change is made only if the pet still has the quantity that
 * the user has seen. Otherwise the editor shows both quantities. It reads nothing before it appears, so that it gets all
 * keys that are pressed after the button.
 */
export function QuantityEditor({ item, onClose }: { item: Item; onClose(): void }) {
  const { petId } = item;
  const latest = useRef(item);
  latest.current = item;
  const [first] = useState(item.quantity);
  const [again, setAgain] = useState<{ quantity: number; shown: Item }>();
  const [lostCount, setLostCount] = useState(0);
  const known = again?.quantity ?? first;
  // What was read is newer than what the list showed then. Later changes of the list are newer still.
  const current = again?.shown === item ? again.quantity : item.quantity;
  // While a change is sent, the quantity of the list can be its result, which must not look like another change.
  const [whenSent, setWhenSent] = useState<number>();
  const now = whenSent ?? current;
  const [isDraft, setDraft] = useState(false);
  useDraft(isDraft && whenSent === undefined ? `The change of ${petText(petId)}` : undefined);
  useReturnOfFocus();

  return (
    <section
      class="editor"
      aria-label={`Change ${petText(petId)}`}
      onKeyDown={(event) => closeByEscape(event, onClose)}
      onInput={() => setDraft(true)}
    >
      <ChangeForm
        petId={petId}
        known={known}
        now={now}
        notice={<RaceNotice seen={first} now={now} lostCount={lostCount} />}
        onClose={onClose}
        onSend={(moment) => setWhenSent(moment === "before" ? current : undefined)}
        onLostRace={async () => {
          const { item: found } = await inventory.getInventoryItem({ petId });
          setAgain({ quantity: found?.quantity ?? 0, shown: latest.current });
          setLostCount((count) => count + 1);
        }}
      />
    </section>
  );
}

/** Gives the focus back to the button that has opened the editor. */
function useReturnOfFocus(): void {
  // The form takes the focus before the effect runs.
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus();
    },
    [],
  );
}

/** Says that another change came first, and both quantities. */
function RaceNotice({ seen, now, lostCount }: { seen: number; now: number; lostCount: number }) {
  const isLost = lostCount > 0;
  if (!isLost && seen === now) return null;
  return (
    <div class="banner banner-warning" role={isLost ? "alert" : "status"}>
      <p>
        {isLost && "Your change was not made, because another change came first"}
        {isLost && (lostCount > 1 ? ` (attempt ${lostCount}). ` : ". ")}
        The quantity was <strong>{numberText(seen)}</strong> when you began. It is{" "}
        <strong>{numberText(now)}</strong> now.
        {isLost && " Check your value, then save again."}
      </p>
    </div>
  );
}

interface ChangeFormProps {
  readonly petId: bigint;
  /** The quantity that a change must find. */
  readonly known: number;
  /** The quantity now. */
  readonly now: number;
  readonly notice: ComponentChildren;
  onClose(): void;
  /** Called before and after a change is sent. */
  onSend(moment: "before" | "after"): void;
  onLostRace(): Promise<void>;
}

function ChangeForm(props: ChangeFormProps) {
  const { petId, known, now, notice, onClose, onSend, onLostRace } = props;
  const [isSet, setIsSet] = useState(true);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.querySelector<HTMLElement>("input")?.focus(), []);

  /** Makes a change. A lost race is no error: the editor shows it in its own way. */
  const change = async (call: () => Promise<UpdateInventoryResponse | AdjustInventoryResponse>) => {
    onSend("before");
    try {
      reportChange(petId, known, await call());
      onClose();
    } catch (error) {
      if (faultOf(error).reason !== "QUANTITY_MISMATCH") throw error;
      await onLostRace();
    } finally {
      onSend("after");
    }
  };

  const mode = (
    <SelectField
      label="Action"
      name="mode"
      value={isSet ? "set" : "adjust"}
      options={[
        ["set", "Set to"],
        ["adjust", "Add or subtract"],
      ]}
      onChange={(value) => setIsSet(value === "set")}
    />
  );
  const common = { submit: "Save", onCancel: onClose, notice };
  return (
    <div ref={place} class="editor-form">
      {isSet ? (
        <Form
          key="set"
          {...common}
          schema={UpdateInventoryRequestSchema}
          read={(values, idempotencyKey) => ({
            petId,
            update: { quantity: values.integer("update.quantity") },
            expectedQuantity: known,
            ...originOf(values, idempotencyKey),
          })}
          effects={({ update }) => quantityEffect("Quantity", now, update?.quantity ?? now)}
          send={(request) => change(() => inventory.updateInventory(request))}
        >
          {mode}
          <NumberField
            label="New quantity"
            name="update.quantity"
            value={known}
            hint={`It is ${numberText(now)} now.`}
          />
          <OriginFields />
        </Form>
      ) : (
        <Form
          key="adjust"
          {...common}
          schema={AdjustInventoryRequestSchema}
          read={(values, idempotencyKey) => ({
            petId,
            delta: values.integer("delta"),
            expectedQuantity: known,
            ...originOf(values, idempotencyKey),
          })}
          effects={({ delta }) => quantityEffect("Quantity", now, now + (delta ?? 0))}
          send={(request) => change(() => inventory.adjustInventory(request))}
        >
          {mode}
          <NumberField
            isSigned
            label="Amount"
            name="delta"
            hint={`Such as 5 or -2. The quantity is ${numberText(now)} now.`}
          />
          <OriginFields />
        </Form>
      )}
    </div>
  );
}
