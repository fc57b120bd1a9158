import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { nthVersion } from "../support/stores.ts";
import { type HttpReply, overHttp2 } from "./http-clients.ts";
import {
  bearer,
  describeApi,
  expectConnectError,
  expectError,
  failure,
  type Parts,
  unknownPet,
} from "./support.ts";

const five = '{"quantity":5}';
const patch = "PATCH /v1/inventory/1";
const adjust = "POST /v1/inventory/1:adjust";
const update = "inventory.v1.InventoryService/UpdateInventory";

const fivePets = '{"petId":1,"update":{"quantity":5}}';
const enveloped = `\0\0\0\0${String.fromCharCode(fivePets.length)}${fivePets}`;
/** An RPC protocol, its media type and an update request. */
const rpcRows = [
  ["Connect", "application/json", fivePets],
  ["gRPC", "application/grpc+json", enveloped],
  ["gRPC-Web", "application/grpc-web+json", enveloped],
] as const;
const tag = (n: number) => `"${nthVersion(n)}"`;
/** The entity tag of pet 1. */
const current = tag(1);

describeApi("conditions in $name", (contract) => {
  const change = (line: string, more: Parts = {}) =>
    contract.send(line, { body: line === patch ? five : '{"delta":-7}', ...more });
  const ifMatch = (header: string): Parts => ({ headers: { "if-match": header } });
  const ifNoneMatch = (header: string): Parts => ({ headers: { "if-none-match": header } });

  describe.each([patch, adjust])("%s", (line) => {
    test("200 with the new version as the entity tag", async () => {
      const reply = await change(line);
      expect(reply).toMatchObject({ status: 200, headers: { etag: tag(4) } });
      const { headers } = await contract.send("GET /v1/inventory/1");
      expect(headers.etag).toBe(tag(4));
    });

    test.each([
      current,
      `"7", ${current}`,
      `"7",${current} ,`,
      `W/"7", ${current}`,
      "*",
      ` "x,y", ${current}`,
    ])("200 when If-Match is %s", async (header) => {
      expect((await change(line, ifMatch(header))).status).toBe(200);
      expect(await contract.quantityOf(1n)).toBe(5);
    });

    test.each([
      tag(2),
      `W/${current}`,
      current.replace('"', '"0'),
      '""',
      // A list without elements is valid (RFC 9110, section 13.1.1), and no tag of it matches.
      "",
      " , ",
      `"x", ${current.replace('"', '"1')}`,
      '"99999999999999999999"',
      '"\xe9"',
    ])("412 without a change when If-Match is %s", async (header) => {
      expectError(
        await change(line, ifMatch(header)),
        412,
        "aborted",
        `has version ${nthVersion(1)},`,
      );
      expect(await contract.quantityOf(1n)).toBe(12);
    });

    test.each(["1", '"1', '"1 "', '1"', '"1" "2"', 'w/"1"', '"1", *', "*, *"])(
      "400 when If-Match is malformed: %j",
      async (header) => {
        expectError(await change(line, ifMatch(header)), 400, "invalid_argument", "If-Match");
        expect(await contract.quantityOf(1n)).toBe(12);
      },
    );

    test("400 when If-Match has more than 100 tags", async () => {
      const tags = (count: number) => Array.from({ length: count }, (_, index) => tag(index + 1));
      const reply = await change(line, ifMatch(tags(101).join()));
      expectError(reply, 400, "invalid_argument", "If-Match: must have at most 100 entity tags");
      expect(await contract.quantityOf(1n)).toBe(12);
      expect((await change(line, ifMatch(tags(100).join()))).status).toBe(200);
    });

    test("200 when If-None-Match has no entity tag", async () => {
      expect((await change(line, ifNoneMatch(""))).status).toBe(200);
    });

    test.each(["*", " * ", current, `W/${current}`, `"7", W/${current}`])(
      "412 when If-None-Match is %s, and nothing is changed",
      async (header) => {
        const reply = await change(line, ifNoneMatch(header));
        expectError(reply, 412, "aborted", `has version ${nthVersion(1)},`, "VERSION_MISMATCH");
        expect(await contract.quantityOf(1n)).toBe(12);
      },
    );

    test.each([tag(2), `W/"1${nthVersion(1)}"`, '""', '"01"', '"x", "99999999999999999999"'])(
      "200 when If-None-Match is %s",
      async (header) => {
        expect((await change(line, ifNoneMatch(header))).status).toBe(200);
        expect(await contract.quantityOf(1n)).toBe(5);
      },
    );

    test.each(["1", '"1', '"1" "2"', '"1", *'])(
      "400 when If-None-Match is malformed: %j",
      async (header) => {
        const reply = await change(line, ifNoneMatch(header));
        expectError(reply, 400, "invalid_argument", "If-None-Match");
        expect(await contract.quantityOf(1n)).toBe(12);
      },
    );

    test.each([
      [current, tag(2), 200],
      [current, current, 412],
      ["*", current, 412],
      ["*", "*", 412],
      [tag(2), tag(3), 412],
    ])("If-Match %s with If-None-Match %s: %i", async (match, none, status) => {
      const headers = { "if-match": match, "if-none-match": none };
      expect((await change(line, { headers })).status).toBe(status);
    });

    test("404 for an unknown pet when If-None-Match is *", async () => {
      const target = line.replace("/1", `/${unknownPet}`);
      const body = line === patch ? five : '{"delta":1}';
      expectError(await contract.send(target, { body, ...ifNoneMatch("*") }), 404, "not_found");
    });

    test("422 when a retry has another If-None-Match", async () => {
      const key = { "idempotency-key": "k" };
      await change(line, { headers: { ...key, "if-none-match": '"2"' } });
      const again = (header: string) =>
        change(line, { headers: { ...key, "if-none-match": header } });
      expect((await again('"2"')).headers["idempotency-replayed"]).toBe("true");
      expectError(await again('"3"'), 422, "failed_precondition");
    });

    test("404 for an unknown pet with any expected values", async () => {
      const target = line.replace("/1", `/${unknownPet}`);
      const reply = await contract.send(target, {
        body: line === patch ? five : '{"delta":1}',
        ...ifMatch(current),
      });
      expectError(reply, 404, "not_found");
    });

    test("412 for one of two clients that read the same version", async () => {
      const { headers } = await contract.send("GET /v1/inventory/1");
      const replies = await Promise.all(
        [1, 2].map(() => change(line, ifMatch(headers.etag ?? ""))),
      );
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 412]);
    });
  });

  test("409 when the quantity differs from the expected one, 200 when it does not", async () => {
    const other = await change(`${patch}?expectedQuantity=11`, { body: five });
    expectError(other, 409, "aborted", "12");
    const adjusted = await contract.send(adjust, { body: '{"delta":1,"expectedQuantity":11}' });
    expectError(adjusted, 409, "aborted", "12");
    expect((await change(`${patch}?expectedQuantity=12`, { body: five })).status).toBe(200);
  });

  test("aborted on RPC, with the current values in the details", async () => {
    const message = { petId: 1, update: { quantity: 5 } };
    const client = contract.client(InventoryService, contract.own);
    const stale = client.updateInventory({
      petId: 1n,
      update: { quantity: 5 },
      expectedVersion: nthVersion(2),
    });
    const error = await failure(stale);
    expect(error.code).toBe(Code.Aborted);
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([
      { reason: "VERSION_MISMATCH", metadata: { petId: "1", version: String(nthVersion(1)) } },
    ]);
    expectConnectError(await contract.call(update, { ...message, expectedQuantity: 1 }), "aborted");
    const expectedVersion = String(nthVersion(1));
    const fresh = await contract.call(update, { ...message, expectedVersion });
    expect(JSON.parse(fresh.body)).toMatchObject({ version: String(nthVersion(4)) });
  });

  test("an error has the request id once, also on RPC", async () => {
    const headers = { "x-request-id": "once", "if-match": tag(2) };
    const message = { petId: 1, update: { quantity: 5 } };
    const replies = [
      await contract.send(patch, { headers, body: five }),
      await contract.call(update, message, { headers }),
    ];
    expect(replies.map((reply) => reply.headers["x-request-id"])).toEqual(["once", "once"]);
  });

  test("aborted on RPC when the metadata if-match is not the version", async () => {
    const message = { petId: 1, update: { quantity: 5 } };
    expectConnectError(await contract.call(update, message, ifMatch(tag(2))), "aborted");
    const expectedVersion = String(nthVersion(1));
    const both = await contract.call(update, { ...message, expectedVersion }, ifMatch(tag(2)));
    expectConnectError(both, "aborted");
  });

  test.each(rpcRows)(
    "aborted on %s when if-none-match is the version",
    async (_, type, message) => {
      const send = (header: string) =>
        overHttp2(
          contract.server.url,
          "POST",
          `/${update}`,
          { authorization: bearer(contract.own), "content-type": type, "if-none-match": header },
          message,
        );
      const codeOf = ({ status, fields, body }: HttpReply) =>
        fields.get("grpc-status") ??
        /grpc-status: (\d+)/.exec(body)?.[1] ??
        (status === 200 ? "0" : JSON.parse(body).code);
      expect(["10", "aborted"]).toContain(codeOf(await send("*")));
      expect(["10", "aborted"]).toContain(codeOf(await send(current)));
      expect(await contract.quantityOf(1n)).toBe(12);
      expect(codeOf(await send(tag(2)))).toBe("0");
      expect(await contract.quantityOf(1n)).toBe(5);
    },
  );

  test("the list has the same entity tag and 304 until a change", async () => {
    const { headers } = await contract.send("GET /v1/inventory");
    const known = { headers: { "if-none-match": headers.etag } };
    expect(await contract.send("GET /v1/inventory", known)).toMatchObject({
      status: 304,
      body: "",
    });
    await change(patch);
    const changed = await contract.send("GET /v1/inventory", known);
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(headers.etag);
  });
});
