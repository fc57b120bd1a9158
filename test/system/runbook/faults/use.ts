import { connect } from "node:http2";
import { ChangeReason } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { dayMs } from "../../../../src/common/durations.ts";
import { unknownOrigin } from "../../../../src/stores/stock-change.ts";
import { addAccount, addKey } from "../../../support/accounts.ts";
import type { Drill, Fault } from "../drill.ts";

const petIds = Array.from({ length: 500 }, (_, index) => BigInt(index + 1));

/** Changes all 500 pets. */
async function changeAll({ stores }: Drill, quantity: number): Promise<void> {
  const updates = petIds.map((petId) => ({ petId, quantity }));
  const origin = { ...unknownOrigin, reason: ChangeReason.ADJUSTMENT, note: "x".repeat(500) };
  await stores.inventory.changeAll(updates, { origin });
}

const slowWatcher: Fault = {
  name: "slow-watcher",
  settings: () => ({ WATCH_BACKLOG: "3000" }),
  async run(drill) {
    const session = connect(drill.url);
    session.on("error", () => {});
    const stream = session.request({
      ":path": "/v1/inventory:watch",
      accept: "application/x-ndjson",
      authorization: `Bearer ${await drill.newKey()}`,
    });
    stream.on("error", () => {});
    // Without a listener for data, the client takes no more than the window of HTTP/2.
    await new Promise((resolve) => stream.once("response", resolve));
    for (let round = 0; round < 5; round += 1) await changeAll(drill, round);
    await drill.proves("InventoryWatchBehind");
    session.destroy();
  },
};

/** Requests that ban a key of the plan free: 60 that use up its minute, and 61 that are refused. */
const requestsUntilBan = 121;

const flood: Fault = {
  name: "flood",
  async run(drill) {
    const keys = Array.from({ length: 6 }, async (_, index) => {
      const id = `${index}`.padStart(12, "a");
      const { secret } = await addKey(
        drill.stores,
        await addAccount(drill.stores, { plan: "free" }, id),
      );
      for (let request = 0; request < requestsUntilBan; request += 1) await drill.get(secret);
    });
    await Promise.all(keys);
    await drill.proves("InventoryBanWave");
  },
};

const expiringKey: Fault = {
  name: "expiring-key",
  async run(drill) {
    const account = await addAccount(drill.stores, { plan: "free" }, "aaaaaaaaaaaa");
    const expiresAt = Date.now() + 13 * dayMs;
    const { secret, keyId } = await addKey(drill.stores, account, { expiresAt });
    await drill.get(secret);
    await drill.fires("InventoryKeysExpireSoon");
    await drill.types("InventoryKeysExpireSoon");
    await drill.stores.accounts.revokeKey(keyId);
    await drill.get(secret);
    await drill.clears("InventoryKeysExpireSoon");
  },
};

const shortHistory: Fault = {
  name: "short-history",
  settings: () => ({ HISTORY_LENGTH: "1000" }),
  async run(drill) {
    for (let round = 0; round < 3; round += 1) await changeAll(drill, round);
    await drill.proves("InventoryHistoryRunsOut");
  },
};

/** Faults that clients cause, and histories that are too short for them. */
export const useFaults: readonly Fault[] = [slowWatcher, flood, expiringKey, shortHistory];
