import { Code } from "@connectrpc/connect";
import { AdminService, Plan, WritePolicy } from "../../../gen/admin/v1/admin_pb.ts";
import { CatalogService } from "../../../gen/catalog/v1/catalog_pb.ts";
import {
  ChangeReason,
  InventoryService,
  PetStatus,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { HoldState, HoldStateSchema, StoreService } from "../../../gen/store/v1/store_pb.ts";
import { enumWord } from "../../../src/common/enum-word.ts";
import { sampleItems } from "../../../src/stores/memory/sample.ts";
import { upload } from "../../support/stock.ts";
import { clientOf } from "../clients/fixture.ts";
import { type DroppingProxy, startDroppingProxy } from "../harness/dropping-proxy.ts";
import { type Check, equal } from "./check.ts";
import { type Installed, runStep } from "./installed.ts";
import type { RunningService } from "./running-service.ts";
import {
  firstOutcomePet,
  limitedForMs,
  limitedPet,
  outcomes,
  quarantinedPet,
  startScriptedServer,
} from "./scripted-server.ts";

/** What the exercise of a language prints. */
interface Results {
  readonly lossy: {
    readonly adjusted: readonly string[];
    readonly watched: readonly string[];
    readonly resets: number;
    readonly disconnects: number;
    readonly orders: readonly string[];
    readonly refused: { readonly reason: string; readonly petId: string };
    readonly items: number;
    /** The name of the account, or a code. */
    readonly usage: string | number;
    readonly holds: {
      readonly orders: readonly string[];
      readonly thrown: string;
      readonly notConfirmed: string;
    };
  };
  readonly scripted: ScriptedResults;
}

interface ScriptedResults {
  readonly limited: number;
  readonly quarantined: string;
  readonly cancelled: number;
  readonly events: readonly string[];
  /** What the errors of writes say about the change, by the pets of `outcomes`. */
  readonly outcomes: readonly string[];
  /** The same of a read, whose first attempt is lost, and whose second is refused. */
  readonly readOutcome: string;
  /** What the holds fail with whose PutHold, and whose ConfirmHold, are lost. */
  readonly lostHolds: readonly string[];
}

const firstQuantity = 100;
const petId = 6_001n;
const heldPet = petId + 4n;

/** Creates an account of its own, and sets the stock to known quantities. @param isStrict its write policy */
async function prepare(
  url: string,
  adminKey: string,
  petIds: readonly bigint[],
  isStrict: boolean,
): Promise<string> {
  const admin = clientOf(url, AdminService, adminKey);
  const pets = petIds.map((petId) => ({
    petId,
    quantity: firstQuantity,
    status: PetStatus.AVAILABLE,
  }));
  const catalog = clientOf(url, CatalogService, adminKey);
  if (pets.length > 0) await catalog.importPets(upload({ pets }));
  const limits = { perMinute: 100_000n, perDay: 100_000n };
  const { account } = await admin.createAccount({ name: "shop", plan: Plan.ENTERPRISE, limits });
  const accountId = account?.accountId ?? "";
  if (isStrict) await admin.setWritePolicy({ accountId, writePolicy: WritePolicy.STRICT });
  return (await admin.createKey({ accountId })).secret;
}

/** Runs the exercise of an installed client through a proxy that loses responses, and with a server that refuses calls. */
export async function exercise(
  { own, folders }: Installed,
  { url, adminKey }: RunningService,
): Promise<Check[]> {
  const crowd = [petId, petId + 1n, petId + 2n, petId + 3n, heldPet, limitedPet, quarantinedPet];
  const key = await prepare(url, adminKey, crowd, true);
  const proxy = await startDroppingProxy(url);
  const scripted = await startScriptedServer(url);
  try {
    const { code, output } = await runStep(own.run("exercise", folders), folders.project, {
      KEY: key,
      LOSSY: proxy[own.http],
      SCRIPTED: scripted[own.http],
      PET: String(petId),
      HELD_PET: String(heldPet),
      LIMITED_PET: String(limitedPet),
      QUARANTINED_PET: String(quarantinedPet),
      OUTCOME_PETS: outcomes.map((_, i) => firstOutcomePet + BigInt(i)).join(),
      READ_PET: String(
        firstOutcomePet + BigInt(outcomes.findIndex(([what]) => what === "lost, then limited")),
      ),
    });
    const line = output.split("\n").findLast((text) => text.startsWith("{"));
    if (code !== 0 || line === undefined) return [["the exercise succeeds", false, output]];
    const results: Results = JSON.parse(line);
    return [
      ...(await lossyChecks(results.lossy, url, key, proxy)),
      equal("usage is that of the account", results.lossy.usage, "shop"),
      ...scriptedChecks(results.scripted, scripted.calls),
      ...(await holdChecks(results, url, key)),
    ];
  } finally {
    proxy.stop();
    scripted.stop();
  }
}

/** Compares what a client saw through the proxy with what the server has. */
async function lossyChecks(
  results: Results["lossy"],
  url: string,
  key: string,
  proxy: DroppingProxy,
): Promise<Check[]> {
  const inventory = clientOf(url, InventoryService, key);
  const store = clientOf(url, StoreService, key);
  /** Versions of the changes that the client's account made, oldest first. */
  const ownChanges = async (pet: bigint) => {
    const { changes } = await inventory.listItemChanges({ petId: pet, pageSize: 200 });
    return changes.filter(({ accountId }) => accountId !== "").reverse();
  };
  const changes = await ownChanges(petId);
  const versions = changes.map(({ version }) => String(version));
  const adjusted = changes.filter(({ reason }) => reason === ChangeReason.ADJUSTMENT);
  const { orders } = await store.listOrders({});
  const ownOrders = orders.filter((order) => order.petId === petId);
  const { items } = await inventory.listInventory({});
  const others = await Promise.all([ownChanges(petId + 1n), ownChanges(petId + 2n)]);
  return [
    [
      `the proxy lost ${proxy.lost} of ${proxy.responses} responses`,
      proxy.lost >= 6 && proxy.lost === Math.floor(proxy.responses / 5),
    ],
    equal(
      "each of 21 adjustments was made once",
      results.adjusted.toSorted(),
      adjusted.map(({ version }) => String(version)).toSorted(),
    ),
    equal(
      "each of 3 orders was placed once",
      results.orders.toSorted(),
      ownOrders.map(({ orderId }) => String(orderId)).toSorted(),
    ),
    equal(
      "the batch and the update were made once",
      others.map(({ length }) => length),
      [1, 1],
    ),
    equal("the quantity is exact", changes.at(-1)?.quantityAfter, firstQuantity + 21 - 3),
    equal("24 changes were made", changes.length, 24),
    equal("the watch saw every change once, in order", results.watched, versions),
    [
      `the watch resumed after ${results.disconnects} disconnects`,
      results.disconnects >= 1 && proxy.cut >= 1 && results.resets === 1,
      results,
    ],
    equal("an error has its reason and metadata", results.refused, {
      reason: "PET_NOT_FOUND",
      petId: String(2n ** 63n - 1n),
    }),
    equal("pages have every item once", results.items, items.length),
  ];
}

/** Compares what a client did with holds with what the server has. */
async function holdChecks({ lossy }: Results, url: string, key: string): Promise<Check[]> {
  const store = clientOf(url, StoreService, key);
  const inventory = clientOf(url, InventoryService, key);
  const state = [HoldState.ACTIVE, HoldState.CONFIRMED, HoldState.RELEASED, HoldState.EXPIRED];
  const { holds } = await store.listHolds({ state });
  const { orders } = await store.listOrders({});
  const { changes } = await inventory.listItemChanges({ petId: heldPet, pageSize: 200 });
  const countOf = (wanted: ChangeReason) =>
    changes.filter(({ reason, accountId }) => reason === wanted && accountId !== "").length;
  return [
    equal(
      "each hold ended as its callback did",
      Object.fromEntries(
        holds.map(({ holdId, state }) => [holdId, enumWord(HoldStateSchema, state)]),
      ),
      {
        ...{ "cart-1": "confirmed", "cart-2": "confirmed", "cart-3": "confirmed" },
        ...{ unpaid: "released", stopped: "released", early: "released" },
        ...{ "put-lost": "released", "confirm-lost": "confirmed" },
      },
    ),
    equal(
      "each of 3 holds was ordered once",
      lossy.holds.orders.toSorted(),
      orders
        .filter((order) => order.petId === heldPet && order.quantity === 2)
        .map(({ orderId }) => String(orderId))
        .toSorted(),
    ),
    equal(
      "each hold took its units once, and returned them once",
      [countOf(ChangeReason.HOLD), countOf(ChangeReason.HOLD_ENDED)],
      [8, 4],
    ),
    equal("a callback's error is passed on", lossy.holds.thrown, "no payment"),
    equal("a hold that ended too early is not confirmed", lossy.holds.notConfirmed, "HOLD_ENDED"),
  ];
}

/** Checks what a client saw of the server that refuses calls. */
function scriptedChecks(
  results: ScriptedResults,
  calls: (method: string) => readonly number[],
): Check[] {
  const [refusedAt = 0, retriedAt = 0] = calls("AdjustInventory");
  const counts = ["PutHold", "ConfirmHold", "ReleaseHold"].map((method) => calls(method).length);
  return [
    equal("a call is repeated after RetryInfo", results.limited, firstQuantity + 1),
    [
      "no call is repeated before the delay of RetryInfo",
      retriedAt - refusedAt >= limitedForMs,
      { waitedMs: retriedAt - refusedAt },
    ],
    equal("a write without idempotency key is sent once", calls("CancelOrder").length, 1),
    equal("an error of a proxy has its code", results.cancelled, Code.Unavailable),
    equal("a reason of a newer service", results.quarantined, "PET_QUARANTINED"),
    equal("a watch with an event of a newer service", results.events, ["snapshot", "ready"]),
    equal(
      "errors say whether any attempt may have made the change",
      results.outcomes.map((outcome, i) => [outcomes[i]?.[0], outcome]),
      outcomes.map(([what, , outcome]) => [
        what,
        outcome === "unknown" ? "unknown, earlier" : outcome,
      ]),
    ),
    equal("the error of a read says nothing about a change", results.readOutcome, ""),
    equal("holds that are perhaps put or confirmed fail", results.lostHolds, [
      "not held 14",
      "not confirmed 14",
    ]),
    // Each lost call is sent five times.
    equal(
      "a hold is released if it is perhaps put, and not if perhaps confirmed",
      counts,
      [6, 5, 1],
    ),
  ];
}

/** Runs the program of the README with the sample data. */
export async function readme(
  { own, folders, readmeOutput }: Installed,
  { url, adminKey }: RunningService,
): Promise<Check> {
  const key = await prepare(url, adminKey, [], false);
  const catalog = clientOf(url, CatalogService, adminKey);
  const { items } = await clientOf(url, InventoryService, key).listInventory({});
  for (const { petId } of items) await catalog.removePet({ petId });
  await catalog.importPets(upload({ pets: [...sampleItems] }));
  const { output } = await runStep(own.run("readme", folders), folders.project, {
    INVENTORY_URL: url,
    INVENTORY_API_KEY: key,
  });
  return equal("the program of the README prints what the README says", output, readmeOutput);
}
