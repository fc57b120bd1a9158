import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ListInventoryResponseSchema,
  PetStatus,
  type WatchInventoryResponse,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { httpJson } from "../../../src/contract/http-json.ts";
import type { StockChange } from "../../../src/stores/stock-change.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { useServer } from "../../support/server.ts";
import { listed } from "../../support/stock.ts";
import { storeKinds } from "../../support/stores.ts";
import {
  grpc,
  ndjson,
  queryOf,
  type SelectionFields,
  serverSentEvents,
  startWatch,
  versionsOf,
  type Watch,
} from "../../support/watch.ts";
import { until } from "../../system/harness/until.ts";

/** What a copy of the stock has of a pet. */
interface Values {
  readonly quantity: number;
  readonly status: PetStatus;
}

type Copy = Map<bigint, Values>;

const aPet = fc.bigInt({ min: 1n, max: 6n });
const aQuantity = fc.nat({ max: 5 });
const aStatus = fc.constantFrom(PetStatus.AVAILABLE, PetStatus.PENDING, PetStatus.SOLD);
const anItem = fc.record({ petId: aPet, quantity: aQuantity, status: aStatus });
const somePets = { selector: (item: { petId: bigint }) => item.petId, minLength: 1, maxLength: 6 };

const aSelection: fc.Arbitrary<SelectionFields> = fc
  .record(
    {
      status: aStatus,
      minQuantity: aQuantity,
      maxQuantity: aQuantity,
      petIds: fc.uniqueArray(aPet, { minLength: 1, maxLength: 4 }),
    },
    { requiredKeys: [] },
  )
  .filter(
    ({ minQuantity = 0, maxQuantity = Number.POSITIVE_INFINITY }) => minQuantity <= maxQuantity,
  );

type Change = (stores: Pick<Stores, "inventory" | "holds">) => Promise<unknown>;

const account = "aaaaaaaaaaaa";
const aHold = fc.constantFrom("hold-1", "hold-2");
const someItems = fc.uniqueArray(anItem, somePets);

const aChange: fc.Arbitrary<Change> = fc.oneof(
  anItem.map(
    (item): Change =>
      ({ inventory }) =>
        inventory.create(item),
  ),
  anItem.map(
    (item): Change =>
      ({ inventory }) =>
        inventory.setQuantity(item.petId, item.quantity),
  ),
  anItem.map(
    (item): Change =>
      ({ inventory }) =>
        inventory.setStatus(item.petId, item.status),
  ),
  anItem.map(
    (item): Change =>
      ({ inventory }) =>
        inventory.remove(item.petId),
  ),
  someItems.map(
    (items): Change =>
      ({ inventory }) =>
        inventory.put(items),
  ),
  someItems.map(
    (updates): Change =>
      ({ inventory }) =>
        inventory.setQuantities(updates),
  ),
  someItems.map(
    (items): Change =>
      ({ inventory }) =>
        inventory.adjustQuantities(
          items.map(({ petId, quantity }) => ({ petId, delta: quantity - 2 || 1 })),
        ),
  ),
  fc.tuple(aHold, anItem).map(
    ([holdId, { petId, quantity }]): Change =>
      ({ holds }) =>
        holds.put(account, holdId, { items: [{ petId, quantity: quantity + 1 }], ttlMs: 60_000 }),
  ),
  aHold.map(
    (holdId): Change =>
      ({ holds }) =>
        holds.release(account, holdId),
  ),
);

/** A step of a schedule: changes at once, or a client that disconnects and resumes. */
type Step =
  | { readonly changes: readonly Change[]; readonly waits: boolean }
  | { readonly breaks: number };

const aSchedule: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ changes: fc.array(aChange), waits: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ breaks: fc.nat({ max: 2 }) }) },
  ),
  { minLength: 3, maxLength: 12 },
);

const protocols = [ndjson, serverSentEvents, grpc];

/** A client that resumes its watch after each disconnect. */
interface Client {
  readonly selection: SelectionFields;
  /** All its watches. The last one is open. */
  readonly watches: Watch[];
}

function belongs(
  { status, minQuantity = 0, maxQuantity = Number.POSITIVE_INFINITY, petIds }: SelectionFields,
  petId: bigint,
  values: Values | undefined,
): boolean {
  return (
    values !== undefined &&
    (status === undefined || status === values.status) &&
    values.quantity >= minQuantity &&
    values.quantity <= maxQuantity &&
    (petIds === undefined || petIds.includes(petId))
  );
}

/** Sets or deletes a pet as a client with a selection does. */
function apply(
  copy: Copy,
  selection: SelectionFields,
  petId: bigint,
  quantity: number | undefined,
  status: PetStatus | undefined,
): void {
  const values = quantity === undefined || status === undefined ? undefined : { quantity, status };
  if (values && belongs(selection, petId, values)) copy.set(petId, values);
  else copy.delete(petId);
}

function copyAfter(received: readonly WatchInventoryResponse[], selection: SelectionFields): Copy {
  const copy: Copy = new Map();
  for (const { event } of received) {
    if (event.case === "snapshot") {
      for (const { petId, quantity = 0, status } of event.value.items) {
        copy.set(petId, { quantity, status });
      }
      for (const petId of event.value.removedPetIds) copy.delete(petId);
    } else if (event.case === "change") {
      const { petId, quantityAfter, status } = event.value;
      apply(copy, selection, petId, quantityAfter, status);
    }
  }
  return copy;
}

/** Returns the versions of the changes before or after which the pet belongs to a selection. */
function concerned(changes: readonly StockChange[], selection: SelectionFields): bigint[] {
  const stock: Copy = new Map();
  return changes
    .filter(({ petId, quantityAfter, status }) => {
      const before = belongs(selection, petId, stock.get(petId));
      apply(stock, {}, petId, quantityAfter, status);
      return before || belongs(selection, petId, stock.get(petId));
    })
    .map(({ version }) => version);
}

describe.each(storeKinds)("watches with selections, in $name", (kind) => {
  const server = useServer(kind, { WATCH_HEARTBEAT_MS: "100" });

  test("a copy stays equal to the selected list, however often the client resumes", async () => {
    const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
    const accountId = await addAccount(server.stores, { plan: "enterprise", limits }, account);
    const { secret } = await addKey(server.stores, accountId);
    const { inventory } = server.stores;

    function goOn({ selection, watches }: Client, protocol = grpc): void {
      const token = watches.findLast((watch) => watch.token !== "")?.token ?? "";
      watches.push(startWatch(protocol, { url: server.url, secret, token, selection }));
    }

    async function listOf(selection: SelectionFields): Promise<Copy> {
      const response = await fetch(`${server.url}/v1/inventory?${queryOf(selection)}`, {
        headers: { authorization: `Bearer ${secret}` },
      });
      const { items } = httpJson.decodeJson(
        ListInventoryResponseSchema,
        `{"items":${await response.text()}}`,
      );
      return new Map(items.map(({ petId, quantity = 0, status }) => [petId, { quantity, status }]));
    }

    const versionNow = async () => (await inventory.page(undefined, 1)).version;

    await fc.assert(
      fc.asyncProperty(
        fc.array(aSelection, { minLength: 3, maxLength: 3 }),
        aSchedule,
        async (selections, schedule) => {
          const clients = selections.map((selection): Client => ({ selection, watches: [] }));
          for (const [index, client] of clients.entries()) goOn(client, protocols[index]);
          for (const step of schedule) {
            if ("breaks" in step) {
              const client = clients[step.breaks];
              client?.watches.at(-1)?.disconnect();
              if (client) goOn(client, protocols[step.breaks]);
              continue;
            }
            await Promise.all(step.changes.map((change) => change(server.stores)));
            if (step.waits) await clients[0]?.watches.at(-1)?.reached(await versionNow());
          }
          const version = await versionNow();
          const stock = await listed(inventory);
          const all = (await inventory.changesSince(0n, 10_000))?.changes ?? [];
          await Promise.all(clients.map(({ watches }) => watches.at(-1)?.reached(version)));
          for (const { selection, watches } of clients) {
            // A watch that ended before its first resume token does not count: its snapshot is incomplete.
            const started = watches.filter((watch) => watch.token !== "");
            const received = started.flatMap((watch) => watch.received);
            const expected = new Map(
              stock
                .filter(({ petId, ...values }) => belongs(selection, petId, values))
                .map(({ petId, quantity, status }) => [petId, { quantity, status }]),
            );
            expect(await listOf(selection)).toEqual(expected);
            expect(copyAfter(received, selection)).toEqual(expected);
            const [ready] = received.flatMap(({ event }) =>
              event.case === "ready" ? [event.value.version] : [],
            );
            expect(versionsOf(received)).toEqual(
              concerned(all, selection).filter((each) => each > (ready ?? 0n)),
            );
            watches.at(-1)?.disconnect();
          }
          await until("all watches have ended", () =>
            clients.every(({ watches }) => watches.every((watch) => watch.end !== undefined)),
          );
        },
      ),
      { numRuns: 20 },
    );
  }, 60_000);
});
