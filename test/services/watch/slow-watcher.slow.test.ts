import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { ChangeReason, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { useServer } from "../../support/server.ts";
import { nthVersion, storeKinds } from "../../support/stores.ts";
import { ndjson, startWatch, versionsOf } from "../../support/watch.ts";
import { until } from "../../system/harness/until.ts";

const pets = Array.from({ length: 500 }, (_, index) => BigInt(index + 1));

/** Requests a watch, and does not read the response until the test adds a `data` listener. */
async function startSlowWatch(
  port: number,
  secret: string,
): Promise<Socket & { received: string }> {
  const socket = Object.assign(connect(port, "127.0.0.1"), { received: "" });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(
    `GET /v1/inventory:watch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nAccept: application/x-ndjson\r\n\r\n`,
  );
  return socket;
}

describe.each(storeKinds)("a watch whose client does not read, in $name", (kind) => {
  // A heartbeat would end the watch before its client reads.
  const server = useServer(kind, { WATCH_BACKLOG: "3000", WATCH_HEARTBEAT_MS: "300000" });

  test("ends with resource_exhausted at 3,000 unread changes, while another watch receives all", async () => {
    const { catalog, inventory } = server.stores;
    const accountId = await addAccount(server.stores);
    const { secret } = await addKey(server.stores, accountId);
    await catalog.put(pets.map((petId) => ({ petId, quantity: 0, status: PetStatus.AVAILABLE })));
    const start = nthVersion(pets.length);
    const slow = await startSlowWatch(server.port, secret);
    const fast = startWatch(ndjson, { url: server.url, secret });
    await fast.reached(start);

    // More than all buffers between server and client hold, and more than WATCH_BACKLOG.
    const rounds = 60;
    const note = "x".repeat(500);
    for (let round = 1; round <= rounds; round += 1) {
      const updates = pets.map((petId) => ({ petId, quantity: round }));
      const origin = {
        reason: ChangeReason.ADJUSTMENT,
        note,
        reference: "",
        accountId,
        keyId: "",
        requestId: "",
      };
      await inventory.changeAll(updates, { origin });
      await fast.reached(nthVersion(pets.length * (round + 1)));
    }
    const versions = versionsOf(fast.received);
    expect(versions).toHaveLength(rounds * pets.length);
    expect(versions.every((version, index) => version === start + BigInt(index) + 1n)).toBe(true);
    expect(fast.end).toBeUndefined();

    slow.setEncoding("latin1").on("data", (text: string) => {
      slow.received = (slow.received + text).slice(-2_000);
    });
    await until("the slow watch receives the error", () =>
      slow.received.includes('{"error":{"code":"resource_exhausted"'),
    );
    expect(slow.received).toContain("more than 3000 changes behind");
    expect(fast.end).toBeUndefined();
    expect(server.faults).toEqual([]);
  }, 60_000);
});
