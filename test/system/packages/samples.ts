import type { DescMethod } from "@bufbuild/protobuf";
import { AdminService, Plan } from "../../../gen/admin/v1/admin_pb.ts";
import { CatalogService } from "../../../gen/catalog/v1/catalog_pb.ts";
import { InventoryService, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { StoreService } from "../../../gen/store/v1/store_pb.ts";
import { UsageService } from "../../../gen/usage/v1/usage_pb.ts";
import {
  sampleAccountId,
  sampleHoldId,
  sampleKeyId,
  sampleOrderId,
} from "../../../packaging/generate/samples/sample.ts";
import {
  clientsHave,
  sampleIn,
  sampleLanguages,
} from "../../../packaging/generate/samples/samples.ts";
import { upload } from "../../support/stock.ts";
import { clientOf } from "../clients/fixture.ts";
import type { Check } from "./check.ts";
import { type Installed, runStep } from "./installed.ts";
import type { Package } from "./packages.ts";
import type { RunningService } from "./running-service.ts";

const methods = [InventoryService, StoreService, UsageService, AdminService]
  .flatMap(({ methods }) => methods)
  .filter(clientsHave);

/** The name of a program: `store_place_order_sample`. */
function idOf({ parent, name }: DescMethod): string {
  return `${parent.name}_${name}_sample`;
}

/** What a sample needs: an account with a key, an order and a hold, and the pets of the samples. */
interface Prepared {
  readonly accountId: string;
  readonly keyId: string;
  readonly secret: string;
  readonly orderId: bigint;
}

/** The sample of CreatePet adds pet 100, and that of RemovePet, which comes later, removes it. */
async function prepare(url: string, adminKey: string): Promise<Prepared> {
  const admin = clientOf(url, AdminService, adminKey);
  const status = PetStatus.AVAILABLE;
  const pets = [1n, 2n, 3n].map((petId) => ({ petId, quantity: 100, status }));
  const catalog = clientOf(url, CatalogService, adminKey);
  await catalog.importPets(upload({ pets }));
  const limits = { perMinute: 1_000n, perDay: 1_000n };
  const { account } = await admin.createAccount({ name: "shop", plan: Plan.ENTERPRISE, limits });
  const accountId = account?.accountId ?? "";
  const { secret, key } = await admin.createKey({ accountId });
  const store = clientOf(url, StoreService, secret);
  const { order } = await store.placeOrder({ petId: 1n, quantity: 1 });
  // No sample counts this pet, which has a hold for each sample.
  await store.putHold({ holdId: sampleHoldId, items: [{ petId: 3n, quantity: 1 }] });
  return { accountId, keyId: key?.keyId ?? "", secret, orderId: order?.orderId ?? 0n };
}

/** Replaces the ids of a sample by those that exist. */
function withIds(program: string, { accountId, keyId, orderId }: Prepared): string {
  return program
    .replaceAll(sampleAccountId, accountId)
    .replaceAll(sampleKeyId, keyId)
    .replaceAll(sampleOrderId, String(orderId));
}

/** The samples of the reference page in one language. */
export interface Samples {
  /** Files of the project, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** The keys of the samples, by the ids of the samples. */
  readonly keys: ReadonlyMap<string, string>;
}

/** Prepares the stock and an account for each sample, and returns the samples with the ids of what exists. */
export async function prepareSamples(
  { samples }: Package,
  { url, adminKey }: RunningService,
): Promise<Samples> {
  const language = sampleLanguages[samples.name];
  if (!language) throw new Error(`no samples in ${samples.name}`);
  const files: Record<string, string> = {};
  const keys = new Map<string, string>();
  for (const method of methods) {
    const id = idOf(method);
    const facts = await prepare(url, adminKey);
    files[samples.fileOf(id)] = samples.adapt(withIds(sampleIn(language, method), facts), id);
    keys.set(id, method.parent === AdminService ? adminKey : facts.secret);
  }
  const [file, text] = samples.program([...keys.keys()]);
  return { files: { ...files, [file]: text }, keys };
}

/** Runs all samples of a language, one after the other. */
export async function runSamples(
  { own, folders }: Installed,
  { keys }: Samples,
  { url, adminKey }: RunningService,
): Promise<Check> {
  const { output } = await runStep(own.run("samples", folders), folders.project, {
    INVENTORY_URL: url,
    SAMPLES: [...keys].map((pair) => pair.join(" ")).join(","),
  });
  const admin = clientOf(url, AdminService, adminKey);
  const { holds } = await admin.listHolds({ pageSize: 200 });
  // So that the tests that follow can remove the pets.
  for (const { accountId, hold } of holds) {
    await admin.releaseHold({ accountId, holdId: hold?.holdId ?? "" });
  }
  const failed = [...keys.keys()].filter((id) => !output.split("\n").includes(`done ${id}`));
  const name = `${keys.size} samples of the reference page work`;
  return [name, failed.length === 0, `failed: ${failed.join(", ")}\n${output}`];
}
