import type { DescMethod, DescService, JsonObject } from "@bufbuild/protobuf";
import { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { CatalogService } from "../../../gen/catalog/v1/catalog_pb.ts";
import { InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import { PetService } from "../../../gen/pets/v1/pets_pb.ts";
import { StoreService } from "../../../gen/store/v1/store_pb.ts";
import { UsageService } from "../../../gen/usage/v1/usage_pb.ts";
import { adminSamples } from "./admin.ts";
import { catalogSamples } from "./catalog.ts";
import { inventorySamples } from "./inventory.ts";
import { petSamples } from "./pets.ts";
import type { OperationSample } from "./sample.ts";
import { storeSamples } from "./store.ts";
import { usageSamples } from "./usage.ts";

type Samples = Readonly<Record<string, OperationSample>>;

/** The services of the contract: their file in this folder and their samples. */
const samples: ReadonlyMap<DescService, readonly [file: string, Samples]> = new Map([
  [InventoryService as DescService, ["inventory.ts", inventorySamples as Samples]],
  [CatalogService, ["catalog.ts", catalogSamples]],
  [StoreService, ["store.ts", storeSamples]],
  [UsageService, ["usage.ts", usageSamples]],
  [PetService, ["pets.ts", petSamples]],
  [AdminService, ["admin.ts", adminSamples]],
]);

/** All methods of the contract. */
export const methods: readonly DescMethod[] = [...samples.keys()].flatMap(({ methods }) => methods);

/** Returns the sample of a method. @throws Error if it has none */
export function sampleOf({ parent, localName, name }: DescMethod): OperationSample {
  const [file = "requests.ts", ofService] = samples.get(parent) ?? [];
  const sample = ofService?.[localName];
  if (!sample) throw new Error(`add ${name} to packaging/generate/samples/${file}`);
  return sample;
}

/** Returns the sample request of a method, as ProtoJSON. @throws Error if it has none */
export function sampleRequest(method: DescMethod): JsonObject {
  return sampleOf(method).request;
}

/** Returns the name of a method as in its path: `inventory.v1.InventoryService/GetInventoryItem`. */
export function rpcName({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}
