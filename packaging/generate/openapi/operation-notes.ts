import { type DescMethod, hasOption } from "@bufbuild/protobuf";
import { CatalogService } from "../../../gen/catalog/v1/catalog_pb.ts";
import { InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import { PetService } from "../../../gen/pets/v1/pets_pb.ts";
import { deprecation } from "../../../gen/rules/v1/rules_pb.ts";
import { StoreService } from "../../../gen/store/v1/store_pb.ts";
import { UsageService } from "../../../gen/usage/v1/usage_pb.ts";
import { isRead } from "../../../src/contract/annotations.ts";
import { sampleOf } from "../samples/requests.ts";
import type { OperationNotes } from "./generator/operation.ts";
import { ofDeprecated } from "./headers.ts";
import {
  ofHold,
  ofItemChange,
  ofKeyedChange,
  ofPlainChange,
  ofVersionedRead,
} from "./request-headers.ts";

/** The tags of the document. Each is a service of the contract. */
export const tags = [
  { name: "Inventory", service: InventoryService },
  { name: "Catalog", service: CatalogService },
  { name: "Store", service: StoreService },
  { name: "Pets", service: PetService },
  { name: "Usage", service: UsageService },
];

/**
 * Returns the id of a method's operation: its name. Methods of two services have the same name, and operations of published
 * documents keep their ids.
 */
export function operationIdOf({ parent, localName }: DescMethod): string {
  return parent === CatalogService && localName === "getPet" ? "getCatalogEntry" : localName;
}

/** Returns the headers of a method, which follow from the fields of its messages. */
function headersOf(method: DescMethod): Partial<OperationNotes> {
  const { field: input } = method.input;
  const { field: output } = method.output;
  if (isRead(method)) {
    const link = output.nextPageToken ? ["Link"] : [];
    if (!output.version) return { successHeaders: { always: [], sometimes: link } };
    return {
      parameters: ofVersionedRead,
      notModified: "The client already has the current version.",
      successHeaders: { always: ["ETag"], sometimes: link },
    };
  }
  if (method === StoreService.method.putHold) return { parameters: ofHold };
  if (!input.idempotencyKey) return { parameters: ofPlainChange };
  const replayed = ["Idempotency-Replayed"];
  return input.expectedVersion
    ? { parameters: ofItemChange, successHeaders: { always: ["ETag"], sometimes: replayed } }
    : { parameters: ofKeyedChange, successHeaders: { always: [], sometimes: replayed } };
}

/**
 * Returns the notes of a method.
 *
 * @param sunset when deprecated operations end, in milliseconds since the epoch
 * @throws Error when the method's service has no tag
 */
export function notesOf(method: DescMethod, sunset: number): OperationNotes {
  const tag = tags.find(({ service }) => service === method.parent);
  if (!tag) throw new Error(`${method.parent.typeName} has no tag`);
  const { bodies, responses } = sampleOf(method);
  const own = {
    operationId: operationIdOf(method),
    tag: tag.name,
    ...headersOf(method),
    ...(bodies && { requestExamples: bodies }),
    ...(responses && { responseExamples: responses }),
  };
  if (!hasOption(method, deprecation)) return own;
  return {
    ...own,
    headers: ofDeprecated,
    extensions: { "x-sunset": new Date(sunset).toISOString().slice(0, 10) },
  };
}
