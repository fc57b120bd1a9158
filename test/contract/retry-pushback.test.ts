import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, status } from "@grpc/grpc-js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  InventoryService,
  ListInventoryRequestSchema,
  ListInventoryResponseSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { rawProtocols } from "../rpc/raw-protocols.ts";
import { bearer, describeApi, ownAccount } from "./support.ts";

const { listInventory, watchInventory, batchUpdateInventory } = InventoryService.method;
const grpcProtocols = rawProtocols.filter(({ name }) => name.startsWith("gRPC"));

describeApi("grpc-retry-pushback-ms in $name", (contract) => {
  const authorization = () => bearer(contract.own);

  describe.each(grpcProtocols)("by $name", ({ call }) => {
    async function pushback(made: Omit<Parameters<typeof call>[1], "authorization">) {
      const outcome = await call(contract.server.port, { ...made, authorization: authorization() });
      const { headers, trailers, body } = outcome.reply;
      const [, inBody] =
        /grpc-retry-pushback-ms: (\S+)/.exec(Buffer.from(body, "hex").toString("latin1")) ?? [];
      const name = "grpc-retry-pushback-ms";
      return [outcome.code, trailers[name] ?? headers[name] ?? inBody];
    }

    // The minute began at 10:20:30.4, and has more from 10:21:31.0 on.
    test.each([
      ["the wait", 51_000, "10000"],
      ["-1 when that is longer than 10 s", 50_000, "-1"],
    ])("is %s when the minute limit is reached", async (_, laterMs, expected) => {
      await contract.spend(60);
      contract.server.clock.now += laterMs;
      const refused = ["resource_exhausted", expected];
      expect(await pushback({ method: listInventory, message: {} })).toEqual(refused);
      expect(await pushback({ method: watchInventory, message: {} })).toEqual(refused);
    });

    test("is -1 for a batch with too many items for the requests left", async () => {
      await contract.spend(55);
      const updates = Array.from({ length: 200 }, (_, id) => ({
        petId: BigInt(id + 1),
        quantity: 1,
      }));
      expect(await pushback({ method: batchUpdateInventory, message: { updates } })).toEqual([
        "resource_exhausted",
        "-1",
      ]);
    });

    test("is -1 for a message that is too large", async () => {
      const note = "n".repeat(300_000);
      expect(await pushback({ method: batchUpdateInventory, message: { note } })).toEqual([
        "resource_exhausted",
        "-1",
      ]);
    });
  });

  test("grpc-js does not retry: 75 calls are 75 attempts and cause no ban", async () => {
    const attempts = vi.spyOn(contract.server.stores.admission, "admitKey");
    const retryPolicy = {
      maxAttempts: 5,
      initialBackoff: "0.01s",
      maxBackoff: "0.01s",
      backoffMultiplier: 1,
      retryableStatusCodes: ["RESOURCE_EXHAUSTED"],
    };
    const client = new Client(`127.0.0.1:${contract.server.port}`, credentials.createInsecure(), {
      "grpc.service_config": JSON.stringify({ methodConfig: [{ name: [{}], retryPolicy }] }),
    });
    onTestFinished(() => client.close());
    const metadata = new Metadata();
    metadata.set("authorization", authorization());
    const list = () =>
      new Promise<number>((resolve) => {
        client.makeUnaryRequest(
          `/${InventoryService.typeName}/ListInventory`,
          (request) => Buffer.from(toBinary(ListInventoryRequestSchema, request)),
          (bytes: Buffer) => fromBinary(ListInventoryResponseSchema, bytes),
          create(ListInventoryRequestSchema),
          metadata,
          {},
          (error) => resolve(error?.code ?? status.OK),
        );
      });
    const codes = await Promise.all(Array.from({ length: 75 }, list));
    expect(codes.filter((code) => code === status.OK)).toHaveLength(60);
    expect(codes.filter((code) => code === status.RESOURCE_EXHAUSTED)).toHaveLength(15);
    expect(attempts).toHaveBeenCalledTimes(75);
    const [key] = (await contract.server.stores.accounts.listKeys(ownAccount)) ?? [];
    expect(key?.bannedUntil).toBeUndefined();
  });
});
