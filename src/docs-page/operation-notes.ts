import { type DescMethod, hasOption } from "@bufbuild/protobuf";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { PetService } from "../../gen/pets/v1/pets_pb.ts";
import { deprecation } from "../../gen/rules/v1/rules_pb.ts";
import { StoreService } from "../../gen/store/v1/store_pb.ts";
import type { JsonObject } from "../rest/openapi-json.ts";
import type { OperationNotes } from "../rest/openapi-operation.ts";
import { ofDeprecated } from "./headers.ts";

/** The groups of operations, each a service of the contract. */
export const tags = [
  { name: "Inventory", service: InventoryService },
  { name: "Store", service: StoreService },
  { name: "Pets", service: PetService },
];

/** Examples of what operations take and answer, by the names of their methods. */
const examples: Readonly<
  Record<string, Pick<OperationNotes, "requestExamples" | "answerExamples">>
> = {
  listInventory: {
    answerExamples: {
      stock: {
        summary: "A stock of three pets.",
        value: [
          { petId: 1, quantity: 12, status: "available" },
          { petId: 2, quantity: 7, status: "pending" },
          { petId: 3, quantity: 0, status: "sold" },
        ],
      },
    },
  },
  updateInventory: {
    requestExamples: {
      arrival: { summary: "New arrivals.", value: { quantity: 12 } },
      soldOut: { summary: "None left.", value: { quantity: 0 } },
    },
    answerExamples: {
      arrival: {
        summary: "After new arrivals.",
        value: { petId: 1, quantity: 12, status: "available" },
      },
    },
  },
  getPet: {
    answerExamples: {
      pet: { summary: "A pet that is for sale.", value: { petId: 1, status: "available" } },
    },
  },
  listOrders: {
    answerExamples: {
      orders: {
        summary: "Two orders.",
        value: [
          order(2, 3, "placed", "2026-11-02T09:30:00Z"),
          order(1, 2, "delivered", "2026-11-01T16:05:12.250Z"),
        ],
      },
    },
  },
};

function order(orderId: number, quantity: number, status: string, placedAt: string): JsonObject {
  return { orderId, petId: 1, quantity, status, placedAt };
}

/**
 * What the contract does not say of a method.
 *
 * @param sunset when deprecated operations end, in milliseconds since the epoch
 * @throws Error when the method's service has no tag
 */
export function notesOf(method: DescMethod, sunset: number): OperationNotes {
  const tag = tags.find(({ service }) => service === method.parent);
  if (!tag) throw new Error(`${method.parent.typeName} has no tag`);
  const notes = { tag: tag.name, ...examples[method.localName] };
  if (!hasOption(method, deprecation)) return notes;
  return {
    ...notes,
    headers: ofDeprecated,
    extensions: {
      "x-sunset": new Date(sunset).toISOString().slice(0, 10),
    },
  };
}
