import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import {
  BatchAdjustInventoryRequestSchema,
  BatchUpdateInventoryRequestSchema,
  type VersionedItem,
} from "../../../../../../gen/inventory/v1/inventory_pb.ts";
import { present } from "../../../../../../src/common/present.ts";
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
import { type BatchRefusal, batchRefusal } from "./batch-refusal.ts";
import { FaultList } from "./fault-list.tsx";
import { petsText } from "./pets-text.ts";
import { readQuantities } from "./read-quantities.ts";

interface BatchResponse {
  readonly items: readonly VersionedItem[];
}

type SeenPet = Pick<Item, "petId" | "quantity">;

/** Most pets of a batch, by the contract. */
export const mostPets = 1_000;
/** The changes that count as one request. */
const changesPerRequest = 20;

/**
 * Sets the quantities of pets, or adds to them: of all or of none. They are set only if each pet has the quantity that the
 * user has seen, because the list has no versions. Amounts that are added need no condition.
 */
export function QuantitiesDialog({ pets, onClose }: { pets: readonly Item[]; onClose(): void }) {
  const [mode, setMode] = useState("set");
  const [seen, setSeen] = useState<readonly SeenPet[]>(pets);
  const [refusal, setRefusal] = useState<BatchRefusal>();
  const petIds = seen.map(({ petId }) => petId);

  /** Makes a change. A refusal that names pets is no error of the form: the dialog names them. */
  const change = async (call: () => Promise<BatchResponse>, before: QuantityBefore) => {
    try {
      const { items } = await call();
      const text = `${countText(items.length, "quantity is", "quantities are")} changed.`;
      offerUndo(text, undoOf(items, before));
      onClose();
    } catch (error) {
      const found = batchRefusal(faultOf(error).fields, petIds);
      if (!found) throw error;
      const now = await readQuantities(petIds);
      setSeen(seen.flatMap(({ petId }) => now.get(petId) ?? []));
      setRefusal(found);
    }
  };

  const requests = Math.ceil(petIds.length / changesPerRequest);
  const BatchForm = mode === "set" ? SetForm : AdjustForm;
  return (
    <Dialog
      title={`Change ${countText(petIds.length, "quantity", "quantities")}`}
      onClose={onClose}
    >
      {refusal && <RefusalBanner refusal={refusal} />}
      <p>
        This changes {petsText(petIds)}, or nothing.
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

/** Returns the quantity of a pet before a change, for the undo. */
type QuantityBefore = (petId: bigint, after: number) => number;

interface BatchFormProps {
  readonly seen: readonly SeenPet[];
  readonly change: (call: () => Promise<BatchResponse>, before: QuantityBefore) => Promise<void>;
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
        return {
          updates: seen.map((pet) => ({
            petId: pet.petId,
            ...(quantity !== undefined && { quantity }),
            expectedQuantity: pet.quantity,
          })),
          ...originOf(values, idempotencyKey),
        };
      }}
      effects={({ updates: [first] }) => effectsOn(seen, (before) => first?.quantity ?? before)}
      send={(request) => {
        const quantities = new Map(seen.map(({ petId, quantity }) => [petId, quantity]));
        return change(
          () => inventory.batchUpdateInventory(request),
          (petId, after) => quantities.get(petId) ?? after,
        );
      }}
      submit="Save"
      onCancel={onCancel}
    >
      {children}
      <NumberField label="New quantity" name="updates[0].quantity" />
      <OriginFields />
    </Form>
  );
}

function AdjustForm({ seen, change, onCancel, children }: BatchFormProps) {
  return (
    <Form
      schema={BatchAdjustInventoryRequestSchema}
      read={(values, idempotencyKey) => {
        const delta = values.integer("adjustments[0].delta");
        return {
          adjustments: seen.map(({ petId }) => ({ petId, ...(delta !== undefined && { delta }) })),
          ...originOf(values, idempotencyKey),
        };
      }}
      effects={({ adjustments: [first] }) =>
        effectsOn(seen, (before) => before + (first?.delta ?? 0))
      }
      send={(request) => {
        const delta = request.adjustments[0]?.delta ?? 0;
        return change(
          () => inventory.batchAdjustInventory(request),
          (_, after) => after - delta,
        );
      }}
      submit="Save"
      onCancel={onCancel}
    >
      {children}
      <NumberField isSigned label="Amount" name="adjustments[0].delta" hint="Such as 5 or -2." />
      <OriginFields />
    </Form>
  );
}

function effectsOn(pets: readonly SeenPet[], afterOf: (before: number) => number): Effect[] {
  return pets.flatMap(({ petId, quantity }) =>
    quantityEffect(`Pet ${petId}`, quantity, afterOf(quantity)),
  );
}

/** Returns a change back, on the condition that all pets still have the versions that the change resulted in. */
function undoOf(items: readonly VersionedItem[], before: QuantityBefore): () => Promise<string> {
  const idempotencyKey = randomId();
  const updates = items.map(({ item, version }) => {
    const { petId, quantity = 0 } = present(item, "the item of a batch");
    return { petId, quantity: before(petId, quantity), expectedVersion: version };
  });
  return async () => {
    await inventory.batchUpdateInventory({ updates, note: "Undo", idempotencyKey });
    return `${countText(updates.length, "quantity is", "quantities are")} as before.`;
  };
}

function RefusalBanner({ refusal }: { refusal: BatchRefusal }) {
  const { pets, more } = refusal;
  return (
    <FaultList
      title="Nothing was changed. Check your value, then save again."
      faults={[
        ...pets.map(({ petId, description }) => `Pet ${petId}: ${description}.`),
        ...(more === undefined ? [] : [`${more}.`]),
      ]}
    />
  );
}
