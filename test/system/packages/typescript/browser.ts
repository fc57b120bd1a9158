import { createInventoryClient, type InventoryError } from "@inventory-service/client";

/** What the page is to do. Ids are texts, because JSON has no 64-bit integers. */
export interface Task {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly petId: string;
  readonly adjustments: number;
}

/** Makes a change outside of the browser, with the note "last". Returns its version. */
declare function changeElsewhere(): Promise<string>;

/** Writes and reads while a watch runs, until the watch has the last change. */
async function exercise({ baseUrl, apiKey, petId: pet, adjustments }: Task) {
  const petId = BigInt(pet);
  const client = createInventoryClient({ baseUrl, apiKey, attemptTimeoutMs: 1_000 });
  const watched: string[] = [];
  let disconnects = 0;
  let resets = 0;
  let isReady = () => {};
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  const watching = (async () => {
    for await (const event of client.watch({ onDisconnect: () => disconnects++ })) {
      if (event.reset) resets++;
      if (event.case === "ready") isReady();
      if (event.case !== "change" || event.value.petId !== petId) continue;
      watched.push(String(event.value.version));
      if (event.value.note === "last") return;
    }
  })();
  await ready;
  const adjusted: string[] = [];
  for (let i = 0; i < adjustments; i++) {
    const { version } = await client.inventory.adjustInventory({ petId, delta: 1 });
    adjusted.push(String(version));
  }
  const refused = await client.inventory.adjustInventory({ petId: 2n ** 63n - 1n, delta: 1 }).then(
    () => undefined,
    (error: InventoryError) => ({ reason: error.reason, petId: error.metadata.petId }),
  );
  let items = 0;
  for await (const _ of client.items({ pageSize: 2 })) items++;
  const { usage } = await client.usage();
  adjusted.push(await changeElsewhere());
  await watching;
  return { adjusted, watched, disconnects, resets, refused, items, account: usage?.name };
}

Object.assign(globalThis, { exercise });
