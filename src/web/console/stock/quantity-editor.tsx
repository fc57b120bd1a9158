import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  AdjustInventoryRequestSchema,
  type AdjustInventoryResponse,
  type ChangeReason,
  type InventoryItem,
  UpdateInventoryRequestSchema,
  type UpdateInventoryResponse,
} from "../../../../gen/inventory/v1/inventory_pb.ts";
import { inventory } from "../shared/api.ts";
import { faultOf } from "../shared/call-fault.ts";
import { numberEffect } from "../shared/effect.ts";
import { QueryBanner } from "../shared/error-banner.tsx";
import { NumberField, SelectField, TextField } from "../shared/field.tsx";
import { Form } from "../shared/form.tsx";
import { randomId } from "../shared/random-id.ts";
import { type Query, useQuery } from "../shared/use-query.ts";
import { numberText } from "../text/number-text.ts";
import type { Item } from "./item.ts";
import { reasons } from "./reasons.ts";
import { offerUndo } from "./undo.ts";

/** An item with the version that a change must find. */
interface ReadItem {
  readonly quantity: number;
  readonly version: bigint;
}

/**
 * Changes the quantity of a pet: sets it or adds to it. The change is made only if the pet still has the version that
 * was read. Otherwise the editor shows both quantities.
 */
export function QuantityEditor({ item, onClose }: { item: Item; onClose(): void }) {
  const { petId } = item;
  const latest = useRef(item);
  latest.current = item;
  const readNow = async (signal?: AbortSignal) => ({
    ...(await readItem(petId, signal)),
    shown: latest.current,
  });
  const first = useQuery(readNow, [petId]);
  const [again, setAgain] = useState<Awaited<ReturnType<typeof readNow>>>();
  const [lostCount, setLostCount] = useState(0);
  const known = again ?? first.data;
  // What was read is newer than what the list showed then. Later changes of the list are newer still.
  const current = known?.shown === item ? known.quantity : item.quantity;
  // While a change is sent, the quantity of the list can be its result, which must not look like another change.
  const [whenSent, setWhenSent] = useState<number>();
  const now = whenSent ?? current;
  useReturnOfFocus();

  return (
    <section
      class="editor"
      aria-label={`Change pet ${petId}`}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      {first.fault && <ReadFault query={first} onClose={onClose} />}
      {known && first.data && (
        <ChangeForm
          petId={petId}
          known={known}
          now={now}
          notice={<RaceNotice seen={first.data.quantity} now={now} lostCount={lostCount} />}
          onClose={onClose}
          onSend={(isSending) => setWhenSent(isSending ? current : undefined)}
          onLostRace={async () => {
            setAgain(await readNow());
            setLostCount((count) => count + 1);
          }}
        />
      )}
    </section>
  );
}

/** Gives the focus back to the button that has opened the editor. */
function useReturnOfFocus(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
}

async function readItem(petId: bigint, signal?: AbortSignal): Promise<ReadItem> {
  const { item, version } = await inventory.getInventoryItem(
    { petId },
    { ...(signal && { signal }) },
  );
  return { quantity: item?.quantity ?? 0, version };
}

function ReadFault({ query, onClose }: { query: Query<unknown>; onClose(): void }) {
  return (
    <>
      <QueryBanner query={query} />
      <div class="form-buttons">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </>
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

function changedText(petId: bigint, item: InventoryItem | undefined): string {
  return `Pet ${petId} has the quantity ${numberText(item?.quantity ?? 0)} now.`;
}

/** Returns a function that sets a quantity as it was, if the pet still has the version of a change. */
function undoOf(petId: bigint, quantity: number, expectedVersion: bigint): () => Promise<string> {
  const idempotencyKey = randomId();
  return async () => {
    const { item } = await inventory.updateInventory({
      petId,
      update: { quantity },
      note: "Undo",
      expectedVersion,
      idempotencyKey,
    });
    return changedText(petId, item);
  };
}

interface ChangeFormProps {
  readonly petId: bigint;
  readonly known: ReadItem;
  /** The quantity now. */
  readonly now: number;
  readonly notice: ComponentChildren;
  onClose(): void;
  /** Called before and after a change is sent. */
  onSend(isSending: boolean): void;
  onLostRace(): Promise<void>;
}

function ChangeForm(props: ChangeFormProps) {
  const { petId, known, now, notice, onClose, onSend, onLostRace } = props;
  const [isSet, setIsSet] = useState(true);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.querySelector<HTMLElement>("input")?.focus(), []);

  /** Makes a change. A lost race is no error: the editor shows it in its own way. */
  const change = async (call: () => Promise<UpdateInventoryResponse | AdjustInventoryResponse>) => {
    onSend(true);
    try {
      const { item, version } = await call();
      offerUndo(changedText(petId, item), undoOf(petId, known.quantity, version));
      onClose();
    } catch (error) {
      if (faultOf(error).reason !== "VERSION_MISMATCH") throw error;
      await onLostRace();
    } finally {
      onSend(false);
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
  const reason = <SelectField label="Reason" name="reason" options={reasons} />;
  const note = <TextField label="Note" name="note" />;
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
            reason: Number(values.text("reason")) as ChangeReason,
            note: values.text("note"),
            expectedVersion: known.version,
            idempotencyKey,
          })}
          effects={({ update }) => numberEffect("Quantity", now, update?.quantity ?? now)}
          send={(request) => change(() => inventory.updateInventory(request))}
        >
          {mode}
          <NumberField
            label="New quantity"
            name="update.quantity"
            value={known.quantity}
            hint={`It is ${numberText(now)} now.`}
          />
          {reason}
          {note}
        </Form>
      ) : (
        <Form
          key="adjust"
          {...common}
          schema={AdjustInventoryRequestSchema}
          read={(values, idempotencyKey) => ({
            petId,
            delta: values.integer("delta"),
            reason: Number(values.text("reason")) as ChangeReason,
            note: values.text("note"),
            expectedVersion: known.version,
            idempotencyKey,
          })}
          effects={({ delta }) => numberEffect("Quantity", now, now + (delta ?? 0))}
          send={(request) => change(() => inventory.adjustInventory(request))}
        >
          {mode}
          <NumberField
            isSigned
            label="Amount"
            name="delta"
            hint={`Such as 5 or -2. The quantity is ${numberText(now)} now.`}
          />
          {reason}
          {note}
        </Form>
      )}
    </div>
  );
}
