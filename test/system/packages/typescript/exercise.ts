import { create } from "@bufbuild/protobuf";
import {
  createInventoryClient,
  HoldNotConfirmedError,
  type InventoryClient,
  InventoryError,
  type WatchEvent,
} from "@inventory-service/client";
import { AdjustInventoryRequestSchema } from "@inventory-service/client/inventory";

const {
  KEY: apiKey = "",
  LOSSY = "",
  SCRIPTED = "",
  PET = "",
  LIMITED_PET,
  QUARANTINED_PET,
  OUTCOME_PETS = "",
  READ_PET = "",
  HELD_PET = "",
} = process.env;
const petId = BigInt(PET);

async function failure(call: Promise<unknown>): Promise<InventoryError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof InventoryError) return error;
    throw error;
  }
  throw new Error("the call succeeded");
}

const holdRequest = (holdId: string, quantity = 2) => ({
  holdId,
  items: [{ petId: BigInt(HELD_PET), quantity }],
});

/** Three holds are confirmed, two callbacks fail, and one hold ends before its callback. */
async function holds({ store, withHold }: InventoryClient) {
  const orders: string[] = [];
  for (const holdId of ["cart-1", "cart-2", "cart-3"]) {
    const { hold } = await withHold(holdRequest(holdId), () => {});
    orders.push(...hold.orderIds.map(String));
  }
  const unpaid = withHold(holdRequest("unpaid"), () => {
    throw new Error("no payment");
  });
  const thrown = await unpaid.catch((error: Error) => error.message);
  const stop = new AbortController();
  const stopped = withHold(
    holdRequest("stopped"),
    () => {
      stop.abort();
      stop.signal.throwIfAborted();
    },
    { signal: stop.signal },
  );
  await stopped.catch(() => {});
  const early = withHold(holdRequest("early"), () => store.releaseHold({ holdId: "early" }));
  const notConfirmed = await early.catch((error: HoldNotConfirmedError) => error.reason);
  return { orders, thrown, notConfirmed };
}

/** Holds one unit at a server that loses responses. Returns how that fails. */
async function lostHold({ withHold }: InventoryClient, holdId: string) {
  return withHold(holdRequest(holdId, 1), () => {}).then(
    () => "",
    (error: HoldNotConfirmedError | InventoryError) =>
      error instanceof HoldNotConfirmedError
        ? `not confirmed ${error.cause.code}`
        : `not held ${error.code}`,
  );
}

/** Writes through a proxy that loses responses, while a watch runs. */
async function lossy() {
  const client = createInventoryClient({ baseUrl: LOSSY, apiKey, attemptTimeoutMs: 1_000 });
  const { inventory, store } = client;
  const watched: string[] = [];
  let disconnects = 0;
  let resets = 0;
  const stop = new AbortController();
  let isReady = () => {};
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  let isDone = (_: WatchEvent) => {};
  const watching = (async () => {
    const options = { signal: stop.signal, onDisconnect: () => disconnects++ };
    for await (const event of client.watch(options)) {
      if (event.reset) resets++;
      if (event.case === "ready") isReady();
      if (event.case === "change" && event.value.petId === petId) {
        watched.push(String(event.value.version));
      }
      isDone(event);
    }
  })();
  await ready;

  const lanes = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const versions: string[] = [];
      // A message that is sent again is another write.
      const message = create(AdjustInventoryRequestSchema, { petId, delta: 1 });
      for (let i = 0; i < 5; i++) {
        const { version } = await inventory.adjustInventory(message);
        versions.push(String(version));
      }
      return versions;
    }),
  );
  const orders: string[] = [];
  for (let i = 0; i < 3; i++) {
    const { order } = await store.placeOrder({ petId, quantity: 1 });
    orders.push(String(order?.orderId));
  }
  // A strict account must say what it expects.
  const expectedQuantity = 100;
  const updates = [{ petId: petId + 1n, quantity: 5, expectedQuantity }];
  await inventory.batchUpdateInventory({ updates });
  await inventory.updateInventory({ petId: petId + 2n, update: { quantity: 7 }, expectedQuantity });
  const refused = await failure(inventory.adjustInventory({ petId: 2n ** 63n - 1n, delta: 1 }));

  // The last change shows that the watch has all others.
  const { version } = await inventory.adjustInventory({ petId, delta: 1 });
  await new Promise<void>((resolve) => {
    isDone = () => {
      if (watched.includes(String(version))) resolve();
    };
    if (watched.includes(String(version))) resolve();
  });
  stop.abort();
  await watching;
  let items = 0;
  for await (const _ of client.items({ pageSize: 2 })) items++;
  const usage = await client.usage().then(
    (response) => response.usage?.name,
    (error: InventoryError) => error.code,
  );
  return {
    adjusted: [...lanes.flat(), String(version)],
    watched,
    resets,
    disconnects,
    orders,
    refused: { reason: refused.reason, petId: refused.metadata.petId },
    items,
    usage,
    holds: await holds(client),
  };
}

/** Returns what the error of a call says about the change. */
async function outcomeOf(call: Promise<unknown>): Promise<string> {
  const { metadata, message } = await failure(call);
  const earlier = message.endsWith(" An earlier attempt may have made the change.");
  return `${metadata.changeOutcome ?? ""}${earlier ? ", earlier" : ""}`;
}

/** Calls a server that refuses calls. */
async function scripted() {
  const client = createInventoryClient({ baseUrl: SCRIPTED, apiKey });
  const { inventory, store } = client;
  const limited = await inventory.adjustInventory({ petId: BigInt(LIMITED_PET ?? 0), delta: 1 });
  const quarantined = await failure(
    inventory.adjustInventory({ petId: BigInt(QUARANTINED_PET ?? 0), delta: 1 }),
  );
  const cancelled = await failure(store.cancelOrder({ orderId: 1n }));
  const outcomes = OUTCOME_PETS.split(",").map((pet) =>
    outcomeOf(inventory.adjustInventory({ petId: BigInt(pet), delta: 1 })),
  );
  const readOutcome = await outcomeOf(inventory.getInventoryItem({ petId: BigInt(READ_PET) }));
  const events = [];
  for await (const event of client.watch()) {
    events.push(event.case);
    if (event.case === "ready") break;
  }
  return {
    limited: limited.item?.quantity,
    quarantined: quarantined.reason,
    cancelled: cancelled.code,
    events,
    outcomes: await Promise.all(outcomes),
    readOutcome,
    lostHolds: [await lostHold(client, "put-lost"), await lostHold(client, "confirm-lost")],
  };
}

console.log(JSON.stringify({ lossy: await lossy(), scripted: await scripted() }));
