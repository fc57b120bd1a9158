import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ListInventoryResponseSchema } from "../../../gen/inventory/v1/inventory_pb.ts";
import { httpJson } from "../../../src/contract/http-json.ts";
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
import {
  aChange,
  account,
  aSelection,
  type Change,
  type Copy,
  concerned,
  copyAfter,
  selected,
} from "./random-changes.ts";

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
            const expected = selected(stock, selection);
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
