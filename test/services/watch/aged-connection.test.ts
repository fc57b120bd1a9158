import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import {
  Health,
  HealthCheckResponse_ServingStatus,
} from "../../../packages/connect-gateway/gen/health/v1/health_pb.ts";
import { reasonOf } from "../../../src/contract/errors.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { useServer } from "../../support/server.ts";
import { memoryKind } from "../../support/stores.ts";
import { grpc, startWatch, watchProtocols } from "../../support/watch.ts";

describe("a watch on a connection that has reached its age", () => {
  const server = useServer(memoryKind, { MAX_CONNECTION_AGE_MS: "400" });

  test("goes on during the grace period, then ends with an error that says to reconnect", async () => {
    const { secret } = await addKey(server.stores, await addAccount(server.stores));
    const begun = performance.now();
    const request = { url: server.url, secret };
    const watches = watchProtocols.map((protocol) => startWatch(protocol, request));
    const failures = await Promise.all(watches.map((watch) => watch.failure()));
    expect(performance.now() - begun).toBeGreaterThan(0.9 * 400 + 400);
    expect(failures.map(({ code }) => Code[code])).toEqual(watches.map(() => "Unavailable"));
    expect(failures.map(({ rawMessage }) => rawMessage)).toEqual(
      watches.map(() => "The connection has reached its maximum age. Reconnect."),
    );
    expect(server.faults).toEqual([]);
    const another = startWatch(grpc, request);
    expect(reasonOf(await another.failure())).toBe("SERVER_DRAINING");
  });

  test("ends the same way if it is an import, and says that rows may have been applied", async () => {
    const accountId = await addAccount(server.stores);
    const { secret } = await addKey(server.stores, accountId, { scopes: ["admin"] });
    async function* rows() {
      yield { items: [{ petId: 1n, quantity: 5, status: PetStatus.AVAILABLE }] };
      await new Promise(() => {});
    }
    const client = createClient(AdminService, createGrpcTransport({ baseUrl: server.url }));
    const headers = { authorization: `Bearer ${secret}` };
    const error = await client.importInventory(rows(), { headers }).catch(ConnectError.from);
    expect(error).toMatchObject({
      code: Code.Unavailable,
      rawMessage:
        "The connection has reached its maximum age. The change may or may not have been made. Reconnect.",
    });
    expect(await server.stores.inventory.get(1n)).toMatchObject({ quantity: 5 });
  });

  test("ends the same way if it is a health watch", async () => {
    const transport = createGrpcTransport({ baseUrl: server.url });
    const statuses: HealthCheckResponse_ServingStatus[] = [];
    const watch = async () => {
      for await (const { status } of createClient(Health, transport).watch({})) {
        statuses.push(status);
      }
    };
    await expect(watch()).rejects.toMatchObject({
      code: Code.Unavailable,
      rawMessage: "The connection has reached its maximum age. Reconnect.",
    });
    expect(statuses).toEqual([HealthCheckResponse_ServingStatus.SERVING]);
  });
});
