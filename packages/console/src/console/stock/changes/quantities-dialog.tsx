import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import {
  BatchAdjustInventoryRequestSchema,
  BatchUpdateInventoryRequestSchema,
  type VersionedItem,
} from "../../../../../../gen/inventory/v1/inventory_pb.ts";
import { present } from "../../../../../../src/common/present.ts";
import { petSubject } from "../../pets/names.ts";
import { inventory } from "../../shared/api.ts";
import { faultOf } from "../../shared/call-fault.ts";
import { Dialog } from "../../shared/dialog.tsx";
import { type Effect, quantityEffect } from "../../shared/effect.ts";
import { NumberField, SelectField } from "../../shared/field.tsx";
import { Form } from "../../shared/form.tsx";
import { randomId } from "../../shared/random-id.ts";
import { countText, numberText } from "../../text/number-text.ts";
import type { Item } from "../item.ts";
import { OriginFields, originOf } from "../origin-fields.tsx";
import { offerUndo } from "../undo.ts";
import { batchRefusal } from "./batch-refusal.ts";
import { FaultList } from "./fault-list.tsx";
import { changedText, mostPets, PartsDialog } from "./parts-dialog.tsx";
import { petsText } from "./pets-text.ts";
import { readQuantities } from "./read-quantities.ts";

type SeenPet = Pick<Item, "petId" | "quantity">;

/** The changes that count as one request. */
const changesPerRequest = 20;

/**
 * Sets the quantities of pets, or adds to them: of all or of none, or in parts if a batch cannot have all. They are set
 * only if each pet has the quantity that the user has seen, because the list has no versions. Amounts that are added need
 * no condition.
 */
export function QuantitiesDialog({ pets, onClose }: { pets: readonly Item[]; onClose(): void }) {
  const [mode, setMode] = useState("set");
  const [seen, setSeen] = useState<readonly SeenPet[]>(pets);
  const [refusal, setRefusal] = useState<readonly string[]>();
  const [inParts, setInParts] = useState<BatchChange>();
  const petIds = seen.map(({ petId }) => petId);
  const now = useMemo(() => new Map(seen.map((pet) => [pet.petId, pet])), [inParts]);
  const title = `Change ${countText(petIds.length, "quantity", "quantities")}`;

  /** Makes a change. A refusal that names pets is no error of the form: the dialog names them. */
  const change = async (made: BatchChange, idempotencyKey: string) => {
    if (seen.length > mostPets) return setInParts(() => made);
    try {
      const undo = await made(seen, idempotencyKey);
      offerUndo(changedText(seen.length), async () => {
        await undo();
        return `${countText(seen.length, "quantity is", "quantities are")} as before.`;
      });
      onClose();
    } catch (error) {
      const found = batchRefusal(faultOf(error).fields, petIds);
      if (!found) throw error;
      setSeen(await seenNow(seen));
      setRefusal(found);
    }
  };
  if (inParts) {
    /** Sends the pets of a part that exist. After a refusal, the next attempt expects what is so then. */
    const send: BatchChange = async (part, idempotencyKey) => {
      const sent = part.flatMap(({ petId }) => now.get(petId) ?? []);
      try {
        return await inParts(sent, idempotencyKey);
      } catch (error) {
        if (!batchRefusal(faultOf(error).fields, petIds)) throw error;
        for (const { petId } of sent) now.delete(petId);
        for (const pet of await seenNow(sent)) now.set(pet.petId, pet);
        throw error;
      }
    };
    return <PartsDialog title={title} rows={seen} send={send} onClose={onClose} />;
  }

  const requests = Math.ceil(petIds.length / changesPerRequest);
  const BatchForm = mode === "set" ? SetForm : AdjustForm;
  return (
    <Dialog title={title} onClose={onClose}>
      {refusal && (
        <FaultList
          title="Nothing was changed. Check your value, then save again."
          faults={refusal}
        />
      )}
      <p>
        This changes {petsText(petIds)}
        {petIds.length > mostPets
          ? `, in parts of ${numberText(mostPets)}: each part changes all of its pets, or none.`
          : ", or nothing."}
        {requests > 1 && ` It counts as ${numberText(requests)} requests.`}
      </p>
      <BatchForm seen={seen} change={change} onCancel={onClose}>
        <SelectField
          label="Action"
          name="mode"
          value={mode}
          options={[
            ["set", "Set each to"],
            ["adjust", "Add to or subtract from each"],
          ]}
          onChange={(value) => {
            setMode(value);
            setRefusal(undefined);
          }}
        />
      </BatchForm>
    </Dialog>
  );
}

async function seenNow(pets: readonly SeenPet[]): Promise<readonly SeenPet[]> {
  const now = await readQuantities(pets.map(({ petId }) => petId));
  return pets.flatMap(({ petId }) => now.get(petId) ?? []);
}

/** Changes pets, of all or of none. @returns a function that changes them back */
type BatchChange = (
  pets: readonly SeenPet[],
  idempotencyKey: string,
) => Promise<() => Promise<unknown>>;

interface BatchFormProps {
  readonly seen: readonly SeenPet[];
  readonly change: (made: BatchChange, idempotencyKey: string) => Promise<void>;
  readonly onCancel: () => void;
  /** The first field. */
  readonly children: ComponentChildren;
}

function SetForm({ seen, change, onCancel, children }: BatchFormProps) {
  return (
    <Form
      schema={BatchUpdateInventoryRequestSchema}
      read={(values, idempotencyKey) => {
        const quantity = values.integer("updates[0].quantity");
        const updates = updatesOf(seen.slice(0, mostPets), quantity);
        return { updates, ...originOf(values, idempotencyKey) };
      }}
      effects={({ updates: [first] }) => effectsOn(seen, (before) => first?.quantity ?? before)}
      send={({ updates: [first], reason, note, idempotencyKey: key }) =>
        change(async (pets, idempotencyKey) => {
          const updates = updatesOf(pets, first?.quantity);
          const { items } = await inventory.batchUpdateInventory({
            reason,
            note,
            updates,
            idempotencyKey,
          });
          return undoOf(items, (index) => pets[index]?.quantity ?? 0);
        }, key)
      }
      submit="Save"
      onCancel={onCancel}
    >
      {children}
      <NumberField label="New quantity" name="updates[0].quantity" />
      <OriginFields />
    </Form>
  );
}

function updatesOf(pets: readonly SeenPet[], quantity: number | undefined) {
  return pets.map((pet) => ({
    petId: pet.petId,
    ...(quantity !== undefined && { quantity }),
    expectedQuantity: pet.quantity,
  }));
}

function AdjustForm({ seen, change, onCancel, children }: BatchFormProps) {
  return (
    <Form
      schema={BatchAdjustInventoryRequestSchema}
      read={(values, idempotencyKey) => {
        const delta = values.integer("adjustments[0].delta");
        const adjustments = adjustmentsOf(seen.slice(0, mostPets), delta);
        return { adjustments, ...originOf(values, idempotencyKey) };
      }}
      effects={({ adjustments: [first] }) =>
        effectsOn(seen, (before) => before + (first?.delta ?? 0))
      }
      send={({ adjustments: [{ delta = 0 } = {}], reason, note, idempotencyKey: key }) =>
        change(async (pets, idempotencyKey) => {
          const adjustments = adjustmentsOf(pets, delta);
          const { items } = await inventory.batchAdjustInventory({
            reason,
            note,
            adjustments,
            idempotencyKey,
          });
          return undoOf(items, (_, after) => after - delta);
        }, key)
      }
      submit="Save"
      onCancel={onCancel}
    >
      {children}
      <NumberField isSigned label="Amount" name="adjustments[0].delta" hint="Such as 5 or -2." />
      <OriginFields />
    </Form>
  );
}

function adjustmentsOf(pets: readonly SeenPet[], delta: number | undefined) {
  return pets.map(({ petId }) => ({ petId, ...(delta !== undefined && { delta }) }));
}

function effectsOn(pets: readonly SeenPet[], afterOf: (before: number) => number): Effect[] {
  return pets.flatMap(({ petId, quantity }) =>
    quantityEffect(petSubject(petId), quantity, afterOf(quantity)),
  );
}

/**
 * Returns a function that changes pets back, on the condition that all still have the versions that the change resulted in.
 *
 * @param before returns the quantity of a pet before the change
 */
function undoOf(
  items: readonly VersionedItem[],
  before: (index: number, after: number) => number,
): () => Promise<unknown> {
  const idempotencyKey = randomId();
  const updates = items.map(({ item, version }, index) => {
    const { petId, quantity = 0 } = present(item, "the item of a batch");
    return { petId, quantity: before(index, quantity), expectedVersion: version };
  });
  return () => inventory.batchUpdateInventory({ updates, note: "Undo", idempotencyKey });
}
