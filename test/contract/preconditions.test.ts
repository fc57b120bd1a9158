import { type DescMethod, hasOption } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { CatalogService } from "../../gen/catalog/v1/catalog_pb.ts";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { optionOf } from "../../packages/connect-gateway/src/call/option.ts";
import { methods } from "../support/operations.ts";
import { upload } from "../support/stock.ts";
import { nthVersion } from "../support/stores.ts";
import { overHttp2 } from "./http-clients.ts";
import { bearer, describeApi, expectConnectError, expectError, expectFailure } from "./support.ts";

const unary = methods.filter(({ methodKind }) => methodKind === "unary");
const isRead = ({ idempotency }: DescMethod) => idempotency === IdempotencyLevel.NO_SIDE_EFFECTS;

/** The methods that take conditions, by the contract of the HTTP interface. */
const conditional = ["UpdateInventory", "AdjustInventory"];
const refusing = unary.filter(
  (method) => !isRead(method) && ![...conditional, "PutHold"].includes(method.name),
);

/** The request line of a method over HTTP, with ids in its path; undefined if it has none. */
function lineOf(method: DescMethod): string | undefined {
  if (!hasOption(method, http)) return undefined;
  const { pattern } = optionOf(method, http);
  return `${pattern.case?.toUpperCase()} ${String(pattern.value).replaceAll(/\{\w+\}/g, "1")}`;
}

const versions = ["*", '"1"', `"${nthVersion(1)}"`, 'W/"1"', "x", ""];

describeApi("preconditions in $name", (contract) => {
  const admin = () => contract.newAccount("cccccccccccc", { plan: "business" }, ["admin"]);

  test.each(refusing.map((method) => [method.name, method] as const))(
    "%s refuses both headers on every protocol",
    async (name, method) => {
      const authorization = bearer(await admin());
      for (const header of ["If-Match", "If-None-Match"]) {
        const fault = `${header}: is not supported by this operation`;
        for (const value of versions) {
          const headers = { [header]: value };
          const parts = { authorization, headers };
          const line = lineOf(method);
          if (line) {
            const reply = await contract.send(line, {
              ...parts,
              ...(!line.startsWith("DELETE") && { body: "{}" }),
            });
            expectError(reply, 400, "invalid_argument", fault);
          }
          const reply = await contract.call(`${method.parent.typeName}/${name}`, {}, parts);
          expectConnectError(reply, "invalid_argument", fault);
        }
        const path = `/${method.parent.typeName}/${name}`;
        for (const type of ["application/grpc+json", "application/grpc-web+json"]) {
          const headers = { authorization, "content-type": type, [header.toLowerCase()]: "*" };
          const reply = await overHttp2(
            contract.server.url,
            "POST",
            path,
            headers,
            "\0\0\0\0\x02{}",
          );
          const text = `${reply.fields.get("grpc-message")} ${reply.body}`;
          expect(decodeURIComponent(text)).toContain(fault);
        }
      }
    },
  );

  test.each(["If-Match", "If-None-Match"])("ImportPets, a stream, refuses %s", async (name) => {
    const authorization = bearer(await admin());
    const transport = createGrpcTransport({ baseUrl: contract.server.url });
    const pets = [{ petId: 1n, quantity: 99, status: PetStatus.AVAILABLE }];
    const headers = { authorization, [name]: "*" };
    const call = createClient(CatalogService, transport).importPets(upload({ pets }), { headers });
    await expectFailure(call, Code.InvalidArgument, `${name}: is not supported by this operation`);
    expect((await contract.server.stores.inventory.get(1n))?.quantity).toBe(12);
  });

  test("a refused header changes nothing and names itself before the fields", async () => {
    const headers = { "if-match": "*" };
    const body = '{"petId":1,"quantity":1}';
    const reply = await contract.send("POST /v1/store/orders", { headers, body });
    expectError(reply, 400, "invalid_argument", "If-Match", "FIELD_INVALID");
    expect(await contract.server.stores.inventory.get(1n)).toMatchObject({ quantity: 12 });
    expect((await contract.send("GET /v1/store/orders")).body).toBe("[]");
  });

  describe("PUT of a hold", () => {
    const line = "PUT /v1/store/holds/cart";
    const put = (quantity: number, headers: Record<string, string> = {}) =>
      contract.send(line, { headers, body: `{"items":[{"petId":1,"quantity":${quantity}}]}` });
    const none = { "if-none-match": "*" };

    test("with If-None-Match: * makes a hold, and is 412 while it is active", async () => {
      expect((await put(2, none)).status).toBe(200);
      const again = await put(3, none);
      expectError(again, 412, "aborted", "Hold cart is active", "VERSION_MISMATCH");
      expect(await contract.server.stores.inventory.get(1n)).toMatchObject({ quantity: 10 });
      const message = { holdId: "cart", items: [{ petId: 1, quantity: 3 }] };
      const rpc = await contract.call("store.v1.StoreService/PutHold", message, { headers: none });
      expectConnectError(rpc, "aborted", "Hold cart is active");
      expect((await put(3)).status).toBe(200);
      await contract.send("DELETE /v1/store/holds/cart");
      expect((await put(1, none)).status).toBe(200);
      await contract.send("POST /v1/store/holds/cart:confirm");
      const ended = await put(1, none);
      expectError(ended, 409, "failed_precondition", "confirmed", "HOLD_ENDED");
    });

    test("makes one hold for two clients with If-None-Match: *", async () => {
      const replies = await Promise.all([put(1, none), put(2, none)]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 412]);
    });

    test.each([
      ["If-Match", "*"],
      ["If-Match", '"1"'],
      ["If-None-Match", '"1"'],
      ["If-None-Match", 'W/"1"'],
      ["If-None-Match", '*, "1"'],
      ["If-None-Match", ""],
    ])("400 with %s: %s", async (name, value) => {
      expectError(await put(1, { [name]: value }), 400, "invalid_argument", `${name}: `);
      expect((await contract.send("GET /v1/store/holds/cart")).status).toBe(404);
    });
  });

  describe.each([
    ["/v1/inventory", "inventory.v1.InventoryService/ListInventory", {}, 3],
    ["/v1/inventory/1", "inventory.v1.InventoryService/GetInventoryItem", { petId: 1 }, 1],
  ])("GET %s", (path, method, message, version) => {
    const current = `"${nthVersion(version)}"`;
    const get = async (match: string, more: Record<string, string> = {}) =>
      Promise.all(
        ["GET", "HEAD"].map((verb) =>
          contract.send(`${verb} ${path}`, { headers: { "if-match": match, ...more } }),
        ),
      );

    test.each([current, `"7", ${current}`, "*", ` ${current} `])(
      "200 with If-Match %s",
      async (tag) => {
        for (const reply of await get(tag)) expect(reply.status).toBe(200);
        const headers = { "if-match": tag };
        expect((await contract.call(method, message, { headers })).status).toBe(200);
      },
    );

    test.each([`"${nthVersion(9)}"`, `W/${current}`, '""', ""])(
      "412 with If-Match %j",
      async (tag) => {
        for (const reply of await get(tag, { "if-none-match": current })) {
          expect(reply.status).toBe(412);
          expect(reply.headers["x-error-reason"]).toBe("VERSION_MISMATCH");
        }
        const headers = { "if-match": tag };
        expectConnectError(
          await contract.call(method, message, { headers }),
          "aborted",
          "If-Match",
        );
        const query = `encoding=json&message=${encodeURIComponent(JSON.stringify(message))}`;
        const reply = await contract.send(`GET /${method}?${query}`, { headers });
        expectConnectError(reply, "aborted", "If-Match");
      },
    );

    const many = Array.from({ length: 101 }, () => current).join(", ");
    test.each([
      "x",
      nthVersion(version).toString(),
      `${current} x`,
      `${current}${current}`,
      `w/${current}`,
      `*, ${current}`,
      '"',
      many,
    ])("400 with If-Match %j, which is malformed", async (value) => {
      for (const reply of await get(value)) {
        expect(reply.status).toBe(400);
        expect(reply.headers["x-error-reason"]).toBe("FIELD_INVALID");
      }
      const headers = { "if-match": value };
      const fault = "If-Match: must ";
      const rpc = await contract.call(method, message, { headers });
      expectConnectError(rpc, "invalid_argument", fault);
      const grpc = { authorization: bearer(contract.own), "content-type": "application/grpc+json" };
      const body = JSON.stringify(message);
      const reply = await overHttp2(
        contract.server.url,
        "POST",
        `/${method}`,
        { ...grpc, ...headers },
        `\0\0\0\0${String.fromCharCode(body.length)}${body}`,
      );
      expect(decodeURIComponent(String(reply.fields.get("grpc-message")))).toContain(fault);
    });

    test("304 if If-Match and If-None-Match match", async () => {
      for (const reply of await get(current, { "if-none-match": current })) {
        expect(reply.status).toBe(304);
      }
    });
  });

  test.each(["/v1/store/orders", "/v1/usage", "/v1/inventory/changes", "/v1/inventory:watch"])(
    "GET %s, which has no entity tag, is 412 with any tag in If-Match",
    async (path) => {
      const headers = { "if-match": '"1"' };
      const reply = await contract.send(`GET ${path}`, { headers });
      expectError(reply, 412, "aborted", "no entity tag");
      const any = { headers: { "if-match": "*" }, isEndless: path.endsWith("watch") };
      expect((await contract.send(`GET ${path}`, any)).status).toBe(200);
    },
  );

  test("400 for a malformed If-Match, before 404 and before a watch begins", async () => {
    const headers = { "if-match": "x" };
    for (const path of ["/v1/inventory/404", "/v1/store/orders", "/v1/inventory:watch"]) {
      const reply = await contract.send(`GET ${path}`, { headers });
      expectError(reply, 400, "invalid_argument", "If-Match: must be * or entity tags");
    }
  });

  test("404 before 412 for a GET of an unknown pet", async () => {
    const reply = await contract.send("GET /v1/inventory/404", { headers: { "if-match": '"1"' } });
    expectError(reply, 404, "not_found");
  });
});
