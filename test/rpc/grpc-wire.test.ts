import { describe, expect, it } from "vitest";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { newAuthorization } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";
import { rawProtocols } from "./raw-protocols.ts";

const { listInventory, updateInventory, watchInventory } = InventoryService.method;
const grpcProtocols = rawProtocols.filter(({ name }) => name.startsWith("gRPC"));

const server = useServer(memoryKind);

describe.each(grpcProtocols)("$name", ({ call }) => {
  /** Returns the headers and trailers of a reply, including those in a gRPC-Web body. */
  async function fieldsOf(made: Omit<Parameters<typeof call>[1], "authorization">) {
    const own = { authorization: await newAuthorization(server.stores), ...made };
    const { code, reply } = await call(server.port, own);
    const inBody = Buffer.from(reply.body, "hex")
      .toString("latin1")
      .matchAll(/(grpc-(?:message|status)): (.*)\r$/gm);
    const fields: Record<string, unknown> = Object.fromEntries(
      [...inBody].map(([, field = "", value]) => [field, value]),
    );
    return { code, reply, fields: { ...fields, ...reply.headers, ...reply.trailers } };
  }

  it("sends the message of an error unencoded if it is printable ASCII", async () => {
    const message = { petId: -1n, update: { quantity: -1 } };
    const { fields } = await fieldsOf({ method: updateInventory, message });
    expect(fields["grpc-message"]).toMatch(/^pet_id: must be .*; update\.quantity: must be /);
  });

  it("encodes % and characters outside printable ASCII in the message of an error", async () => {
    const message = { idempotencyKey: "", note: "", petId: 1n, update: { quantity: 1 } };
    const headers = { "idempotency-key": '"50%"' };
    const method = updateInventory;
    await fieldsOf({ method, message, headers });
    const other = { ...message, petId: 2n };
    const { fields } = await fieldsOf({ method, message: other, headers });
    expect(fields["grpc-message"]).toContain("50%25");
  });

  it.each([
    ["a unary call", listInventory],
    ["a stream", watchInventory],
  ])(
    "lists the supported encodings in the error of %s with an unknown grpc-encoding",
    async (_, method) => {
      const headers = { "grpc-encoding": "snappy" };
      const { code, reply } = await fieldsOf({ method, message: {}, headers });
      expect(code).toBe("unimplemented");
      expect(String(reply.headers["grpc-accept-encoding"]).split(",")).toContain("gzip");
    },
  );
});
