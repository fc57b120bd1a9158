import { Code, type ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test, vi } from "vitest";
import { CatalogService } from "../../gen/catalog/v1/catalog_pb.ts";
import { BadRequestSchema, ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { ChangeReason, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { reasonOf } from "../../src/contract/errors.ts";
import { unknownOrigin } from "../../src/stores/stock-change.ts";
import { itemsFrom } from "../support/stock.ts";
import { stopTimers } from "../support/stop-timers.ts";
import { bearer, describeApi, failure, ownAccount, stock, useOperator } from "./support.ts";

/** The protocols that support request streams. */
const transports: readonly { name: string; make: (baseUrl: string) => Transport }[] = [
  { name: "Connect", make: (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" }) },
  { name: "gRPC", make: (baseUrl) => createGrpcTransport({ baseUrl }) },
];

const firstNew = 10_000n;

/** A message with new pets. */
function pets(first: bigint, count: number) {
  return { pets: itemsFrom(first, count, (at) => at) };
}

async function* messages(count: number, ofEach: number) {
  for (let sent = 0; sent < count; sent += 1) {
    yield pets(firstNew + BigInt(sent * ofEach), ofEach);
  }
}

function appliedRows(error: ConnectError): string | undefined {
  return error.findDetails(ErrorInfoSchema)[0]?.metadata.appliedRows;
}

describeApi("ImportPets in $name", (contract) => {
  const operator = useOperator(contract);
  const { catalog } = operator;
  const size = async () => (await contract.server.stores.inventory.list()).items.length;

  describe.each(transports)("by $name", ({ make }) => {
    const importing = (
      requests: Parameters<ReturnType<typeof client>["importPets"]>[0],
      authorization = bearer(operator.key),
    ) => client().importPets(requests, { headers: { authorization } });
    const client = () => createClient(CatalogService, make(contract.server.url));

    test("says that rows may have been applied when its deadline passes after the first message", async () => {
      async function* rows() {
        yield pets(firstNew, 1);
        await new Promise(() => {});
      }
      stopTimers();
      // The client itself must not end the call.
      const timeouts = { "grpc-timeout": "5S", "connect-timeout-ms": "5000" };
      const headers = { authorization: bearer(operator.key), ...timeouts };
      const failing = failure(client().importPets(rows(), { headers }));
      await expect.poll(size).toBe(stock.length + 1);
      vi.advanceTimersByTime(5_000);
      const error = await failing;
      expect(Code[error.code]).toBe("DeadlineExceeded");
      const [info] = error.findDetails(ErrorInfoSchema);
      expect(info?.metadata.changeOutcome).toBe("unknown");
    });

    test("imports all messages and returns the number of new pets", async () => {
      const response = await importing(messages(20, 500));
      expect(response).toMatchObject({ rows: 10_000n, created: 10_000n, updated: 0n });
      expect(await size()).toBe(stock.length + 10_000);
      const again = await importing(messages(20, 500));
      expect(again).toMatchObject({ rows: 10_000n, created: 0n, updated: 10_000n });
      const { changes } = (await contract.server.stores.inventory.changes({ limit: 1 })) ?? {};
      expect(changes).toMatchObject([
        { reason: ChangeReason.IMPORT, accountId: "cccccccccccc", keyId: operator.key.keyId },
      ]);
    });

    test("a stream without messages imports nothing", async () => {
      const response = await importing(messages(0, 0));
      expect(response).toMatchObject({ rows: 0n, created: 0n, updated: 0n });
    });

    test("applies a message with the same idempotency key once", async () => {
      async function* named() {
        yield { ...pets(firstNew, 2), idempotencyKey: "first" };
        yield { ...pets(firstNew + 2n, 1), idempotencyKey: "second" };
      }
      const { inventory } = contract.server.stores;
      expect(await importing(named())).toMatchObject({ rows: 3n, created: 3n });
      await inventory.change({ petId: firstNew, delta: 7 });
      const again = await importing(named());
      expect(again).toMatchObject({ rows: 3n, created: 3n, updated: 0n });
      expect(await inventory.get(firstNew)).toMatchObject({ quantity: 7 });
    });

    test("failed_precondition when a different message has the same idempotency key", async () => {
      async function* named() {
        yield { ...pets(firstNew, 2), idempotencyKey: "same" };
        yield { ...pets(firstNew, 3), idempotencyKey: "same" };
      }
      const error = await failure(importing(named()));
      expect(error.code).toBe(Code.FailedPrecondition);
      expect(reasonOf(error)).toBe("IDEMPOTENCY_KEY_REUSED");
      expect(appliedRows(error)).toBe("2");
    });

    test.each([
      ["a pet twice", { pets: [...pets(1n, 1).pets, ...pets(1n, 1).pets] }, "pets[1].pet_id"],
      [
        "a quantity below 0",
        { pets: [{ petId: 1n, quantity: -1, status: PetStatus.SOLD }] },
        "pets[0].quantity",
      ],
      [
        "an SKU twice",
        { pets: pets(1n, 3).pets.map((each, at) => ({ ...each, sku: at === 1 ? "" : "A" })) },
        "pets[2].sku",
      ],
      [
        "a malformed name",
        { pets: pets(1n, 2).pets.map((each) => ({ ...each, name: "Rex " })) },
        "pets[0].name",
      ],
      ["no pets", { pets: [] }, "pets"],
      ["too many pets", pets(1n, 501), "pets"],
    ])(
      "invalid_argument when a message has %s; the messages before it are imported",
      async (_, bad, field) => {
        async function* requests() {
          yield* messages(2, 450);
          yield bad;
          yield* messages(3, 450);
        }
        const error = await failure(importing(requests()));
        expect(error).toMatchObject({
          code: Code.InvalidArgument,
          rawMessage: expect.stringContaining(field),
        });
        expect(reasonOf(error)).toBe("FIELD_INVALID");
        expect(appliedRows(error)).toBe("900");
        expect(await size()).toBe(stock.length + 900);
      },
    );

    test("failed_precondition that names the row and the pet whose units are held", async () => {
      const { holds } = contract.server.stores;
      const held = [{ petId: 1n, quantity: 1 }];
      await holds.put(
        ownAccount,
        "cart",
        { items: held, ttlMs: 60_000 },
        { origin: unknownOrigin },
      );
      const full = { petId: 1n, quantity: 2_147_483_647, status: PetStatus.SOLD };
      async function* requests() {
        yield* messages(1, 3);
        yield { pets: [...pets(2n, 1).pets, full], idempotencyKey: "second" };
      }
      const error = await failure(importing(requests()));
      expect(error.code).toBe(Code.FailedPrecondition);
      expect(reasonOf(error)).toBe("STOCK_TOO_LARGE");
      expect(error.findDetails(ErrorInfoSchema)[0]?.metadata).toEqual({
        petId: "1",
        held: "1",
        appliedRows: "3",
        created: "3",
        updated: "0",
      });
      expect(error.findDetails(BadRequestSchema)[0]?.fieldViolations).toMatchObject([
        {
          field: "pets[1].quantity",
          description:
            "pet 1 has 1 held unit, with which it would exceed the largest quantity, 2147483647",
        },
      ]);
      await holds.release(ownAccount, "cart", { origin: unknownOrigin });
      expect(await importing(requests())).toMatchObject({ rows: 5n });
    });

    test("sets names and SKUs, and leaves those that are absent", async () => {
      const [one, two] = pets(firstNew, 2).pets as [object, object];
      async function* requests() {
        yield { pets: [{ ...one, name: "Rex", sku: "A" }, two] };
        yield { pets: [{ ...one, quantity: 5 }] };
        yield {
          pets: [
            { ...one, sku: "" },
            { ...two, name: "Mia", sku: "A" },
          ],
        };
      }
      await importing(requests());
      const { entries } = await catalog.listPets({ petIds: [firstNew, firstNew + 1n] });
      expect(entries).toMatchObject([
        { name: "Rex", sku: "" },
        { name: "Mia", sku: "A" },
      ]);
    });

    test("already_exists that names the rows and the pets that have their SKUs", async () => {
      await catalog.updatePet({ petId: 1n, sku: "A" });
      const [one, two] = pets(firstNew, 2).pets as [object, object];
      async function* requests() {
        yield { pets: [one] };
        yield {
          pets: [
            { ...one, sku: "B" },
            { ...two, sku: "A" },
          ],
          idempotencyKey: "second",
        };
      }
      const error = await failure(importing(requests()));
      expect(error.code).toBe(Code.AlreadyExists);
      expect(reasonOf(error)).toBe("SKU_TAKEN");
      expect(error.findDetails(ErrorInfoSchema)[0]?.metadata).toEqual({
        ...{ petId: "1", appliedRows: "1", created: "1", updated: "0" },
      });
      expect(error.findDetails(BadRequestSchema)[0]?.fieldViolations).toMatchObject([
        { field: "pets[1].sku", description: 'pet 1 has the SKU "A"' },
      ]);
      expect(await size()).toBe(stock.length + 1);
      await catalog.updatePet({ petId: 1n, sku: "" });
      expect(await importing(requests())).toMatchObject({ rows: 3n, created: 1n });
    });

    test("permission_denied when the key lacks the scope catalog:write", async () => {
      const error = await failure(importing(messages(1, 1), bearer(await contract.newKey())));
      expect(error.code).toBe(Code.PermissionDenied);
      expect(await size()).toBe(stock.length);
    });
  });
});
