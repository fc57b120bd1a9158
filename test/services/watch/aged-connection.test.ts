import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { CatalogService } from "../../../gen/catalog/v1/catalog_pb.ts";
import { PetStatus, type WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import {
  Health,
  HealthCheckResponse_ServingStatus,
} from "../../../packages/connect-gateway/gen/health/v1/health_pb.ts";
import { reasonOf } from "../../../src/contract/errors.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { useServer } from "../../support/server.ts";
import { stopTimers } from "../../support/stop-timers.ts";
import { memoryKind } from "../../support/stores.ts";
import { grpc, startWatch, watchProtocols } from "../../support/watch.ts";

const isOfPet7 = ({ event }: WatchInventoryResponse) =>
  event.case === "change" && event.value.petId === 7n;

describe("a watch on a connection that has reached its age", () => {
  const server = useServer(memoryKind, { MAX_CONNECTION_AGE_MS: "400" });
  beforeEach(stopTimers);

  /** Lets time pass for the timers, and then for what they call. */
  async function pass(ms: number): Promise<void> {
    vi.advanceTimersByTime(ms);
    await new Promise(setImmediate);
  }

  /** Lets the connections reach their age, and then the end of the grace period, which has the same length. */
  async function age(): Promise<void> {
    await pass(440);
    await pass(400);
  }

  test("goes on during the grace period, then ends with an error that says to reconnect", async () => {
    const { secret } = await addKey(server.stores, await addAccount(server.stores));
    const request = { url: server.url, secret };
    const watches = watchProtocols.map((protocol) => startWatch(protocol, request));
    await expect.poll(() => watches.every(({ received }) => received.length > 0)).toBe(true);
    for (const ms of [440, 399]) await pass(ms);
    await server.stores.catalog.put([{ petId: 7n, quantity: 1, status: PetStatus.SOLD }]);
    await expect.poll(() => watches.every(({ received }) => received.some(isOfPet7))).toBe(true);
    await pass(1);
    const failures = await Promise.all(watches.map((watch) => watch.failure()));
    expect(failures.map(({ code }) => Code[code])).toEqual(watches.map(() => "Unavailable"));
    expect(failures.map(({ rawMessage }) => rawMessage)).toEqual(
      watches.map(() => "The connection has reached its maximum age. Reconnect."),
    );
    expect(server.faults).toEqual([]);
    const another = startWatch(grpc, request);
    await expect.poll(() => another.received.length).toBeGreaterThan(0);
    await age();
    expect(reasonOf(await another.failure())).toBe("SERVER_DRAINING");
  });

  test("ends the same way if it is an import, and says that rows may have been applied", async () => {
    const accountId = await addAccount(server.stores);
    const { secret } = await addKey(server.stores, accountId, { scopes: ["admin"] });
    async function* rows() {
      yield { pets: [{ petId: 1n, quantity: 5, status: PetStatus.AVAILABLE }] };
      await new Promise(() => {});
    }
    const client = createClient(CatalogService, createGrpcTransport({ baseUrl: server.url }));
    const headers = { authorization: `Bearer ${secret}` };
    const failing = client.importPets(rows(), { headers }).catch(ConnectError.from);
    const quantity = async () => (await server.stores.inventory.get(1n))?.quantity;
    await expect.poll(quantity).toBe(5);
    await age();
    expect(await failing).toMatchObject({
      code: Code.Unavailable,
      rawMessage:
        "The connection has reached its maximum age. The change may or may not have been made. Reconnect.",
    });
  });

  test("ends the same way if it is a health watch", async () => {
    const transport = createGrpcTransport({ baseUrl: server.url });
    const statuses: HealthCheckResponse_ServingStatus[] = [];
    const watch = async () => {
      for await (const { status } of createClient(Health, transport).watch({})) {
        statuses.push(status);
      }
    };
    const failing = expect(watch()).rejects.toMatchObject({
      code: Code.Unavailable,
      rawMessage: "The connection has reached its maximum age. Reconnect.",
    });
    await expect.poll(() => statuses.length).toBe(1);
    await age();
    await failing;
    expect(statuses).toEqual([HealthCheckResponse_ServingStatus.SERVING]);
  });
});
