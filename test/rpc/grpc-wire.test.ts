import { describe, expect, test } from "vitest";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { newAuthorization } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";
import { rawProtocols } from "./raw-protocols.ts";

const { listInventory, watchInventory } = InventoryService.method;
const grpcProtocols = rawProtocols.filter(({ name }) => name.startsWith("gRPC"));

const server = useServer(memoryKind);

describe.each(grpcProtocols)("$name", ({ call }) => {
  test.each<[string, Parameters<typeof call>[1]["method"]]>([
    ["a unary call", listInventory],
    ["a stream", watchInventory],
  ])(
    "lists the supported encodings in the error of %s with an unknown grpc-encoding",
    async (_, method) => {
      const headers = { "grpc-encoding": "snappy" };
      const authorization = await newAuthorization(server.stores);
      const made = { method, message: {}, headers, authorization };
      const { code, reply } = await call(server.port, made);
      expect(code).toBe("unimplemented");
      expect(String(reply.headers["grpc-accept-encoding"]).split(",")).toContain("gzip");
    },
  );
});
