import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { ChangeReason, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { nthVersion, storeKinds } from "../support/stores.ts";
import { eventually, ndjson, startWatch, versionsTold } from "../support/watch.ts";

const pets = Array.from({ length: 500 }, (_, index) => BigInt(index + 1));

/** A client that asks for a watch, and reads nothing of the answer until it is told to. */
async function deafWatcher(port: number, secret: string): Promise<Socket & { received: string }> {
  const socket = Object.assign(connect(port, "127.0.0.1"), { received: "" });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(
    `GET /v1/inventory:watch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nAccept: application/x-ndjson\r\n\r\n`,
  );
  return socket;
}

describe.each(storeKinds)("a watcher that does not read, in $name", (kind) => {
  const server = useServer(kind, { WATCH_BACKLOG: "3000" });

  it("is cut off and told so, while another one is told everything", async () => {
    const { inventory } = server.stores;
    const accountId = await addAccount(server.stores);
    const { secret } = await addKey(server.stores, accountId);
    await inventory.put(pets.map((petId) => ({ petId, quantity: 0, status: PetStatus.AVAILABLE })));
    const start = nthVersion(pets.length);
    const deaf = await deafWatcher(server.port, secret);
    const keen = startWatch(ndjson, { url: server.url, secret });
    await keen.reached(start);

    // More than all buffers between the two hold, and more than a client may be behind.
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
      await inventory.setQuantities(updates, { origin });
      await keen.reached(nthVersion(pets.length * (round + 1)));
    }
    const versions = versionsTold(keen.told);
    expect(versions).toHaveLength(rounds * pets.length);
    expect(versions.every((version, index) => version === start + BigInt(index) + 1n)).toBe(true);
    expect(keen.end).toBeUndefined();

    deaf.setEncoding("latin1").on("data", (text: string) => {
      deaf.received = (deaf.received + text).slice(-2_000);
    });
    await eventually("the other one is told that it was too slow", () =>
      deaf.received.includes('{"error":{"code":"resource_exhausted"'),
    );
    expect(deaf.received).toContain("more than 3000 changes behind");
    expect(keen.end).toBeUndefined();
    expect(server.faults).toEqual([]);
  }, 60_000);
});
