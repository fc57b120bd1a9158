import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";
import {
  ChangeReason,
  ChangeReasonSchema,
  InventoryService,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { protocols } from "../../packages/connect-gateway/test/rpc/support.ts";
import { enumWord } from "../../src/common/enum-word.ts";
import { nthVersion } from "../support/stores.ts";
import { bearer, describeApi, expectError, stock } from "./support.ts";

const { ARRIVAL, RETURN, ADJUSTMENT, ORDER, IMPORT, UNSPECIFIED } = ChangeReason;

describeApi("reasons in requests in $name", (contract) => {
  const { server } = contract;

  async function expectUnchanged(): Promise<void> {
    const page = await server.stores.inventory.changes({ limit: 1 });
    expect(page?.changes[0]?.version).toBe(nthVersion(stock.length));
  }

  async function newestReason(): Promise<ChangeReason | undefined> {
    return (await server.stores.inventory.changes({ limit: 1 }))?.changes[0]?.reason;
  }

  const http: readonly (readonly [string, (reason: string) => readonly [string, string]])[] = [
    ["set", (reason) => [`PATCH /v1/inventory/1?reason=${reason}`, '{"quantity":5}']],
    ["adjust", (reason) => ["POST /v1/inventory/1:adjust", `{"delta":1,"reason":"${reason}"}`]],
    [
      "batch",
      (reason) => [
        "POST /v1/inventory:batchUpdate",
        `{"updates":[{"petId":1,"quantity":5}],"reason":"${reason}"}`,
      ],
    ],
  ];

  describe.each(http)("JSON over HTTP, %s", (_, request) => {
    test.each(["sale", "damage", "loss", "count"])("200 for %s", async (reason) => {
      const [line, body] = request(reason);
      expect((await contract.send(line, { body })).status).toBe(200);
      const newest = await newestReason();
      expect(newest && enumWord(ChangeReasonSchema, newest)).toBe(reason);
    });

    test.each(["order", "import"])("400 for %s, without a change", async (reason) => {
      const [line, body] = request(reason);
      const reply = await contract.send(line, { body });
      expectError(
        reply,
        400,
        "invalid_argument",
        `reason: cannot be ${reason}: must be one of arrival`,
      );
      await expectUnchanged();
    });

    test("400 for an unknown reason lists only the reasons that clients may send", async () => {
      const [line, body] = request("theft");
      const reply = await contract.send(line, { body });
      expectError(reply, 400, "invalid_argument", "reason");
      expect(reply.body).toContain("adjustment");
      expect(reply.body).not.toContain("import");
    });

    test.each([ARRIVAL, RETURN, ADJUSTMENT])("200 for the reason %i", async (reason) => {
      const [line, body] = request(enumWord(ChangeReasonSchema, reason));
      expect((await contract.send(line, { body })).status).toBe(200);
      expect(await newestReason()).toBe(reason);
    });
  });

  describe.each(protocols)("%s", (_, make) => {
    const calls = () => {
      const client = createClient(InventoryService, make(server.url));
      const options = { headers: { authorization: bearer(contract.own) } };
      const quantity = 5;
      return [
        (reason: ChangeReason) =>
          client.updateInventory({ petId: 1n, update: { quantity }, reason }, options),
        (reason: ChangeReason) => client.adjustInventory({ petId: 1n, delta: 1, reason }, options),
        (reason: ChangeReason) =>
          client.batchUpdateInventory({ updates: [{ petId: 1n, quantity }], reason }, options),
      ];
    };

    test.each([ORDER, IMPORT])(
      "invalid_argument for the reason %i names the field, and nothing is changed",
      async (reason) => {
        for (const call of calls()) {
          const error = await call(reason).then(
            () => undefined,
            (thrown: unknown) => ConnectError.from(thrown),
          );
          expect(error?.code).toBe(Code.InvalidArgument);
          const [details] = error?.findDetails(BadRequestSchema) ?? [];
          expect(details?.fieldViolations.map(({ field }) => field)).toEqual(["reason"]);
        }
        await expectUnchanged();
      },
    );

    test("a change without a reason is recorded as an adjustment", async () => {
      for (const call of calls()) {
        await call(UNSPECIFIED);
        expect(await newestReason()).toBe(ADJUSTMENT);
      }
    });
  });
});
