import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { useServer } from "../../support/server.ts";
import { listed } from "../../support/stock.ts";
import { storeKinds } from "../../support/stores.ts";
import {
  eventually,
  grpc,
  ndjson,
  serverSentEvents,
  startWatch,
  stockAfter,
  versionsOf,
  type Watch,
  type WatchProtocol,
} from "../../support/watch.ts";

/** A step of a schedule: the test makes changes, or a client disconnects and resumes. */
type Step =
  | { readonly kind: "changes"; readonly pets: readonly number[]; readonly waits: boolean }
  | { readonly kind: "break"; readonly client: number };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant("changes" as const),
      pets: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 30 }),
      waits: fc.boolean(),
    }),
    fc.record({ kind: fc.constant("break" as const), client: fc.nat({ max: 2 }) }),
  ),
  { minLength: 5, maxLength: 20 },
);

const protocols: readonly WatchProtocol[] = [ndjson, serverSentEvents, grpc];

/** A client that resumes its watch after each disconnect. */
interface Client {
  readonly protocol: WatchProtocol;
  /** All its watches. The last one is open. */
  readonly watches: Watch[];
}

describe.each(storeKinds)("random changes and disconnects, in $name", (kind) => {
  const server = useServer(kind);

  it("each client receives every change once and in order, however often it disconnects", async () => {
    const accountId = await addAccount(server.stores, {
      plan: "enterprise",
      limits: { perMinute: 1_000_000, perDay: 1_000_000 },
    });
    const { secret } = await addKey(server.stores, accountId);
    const { inventory } = server.stores;

    async function change(pet: number): Promise<void> {
      const petId = BigInt(pet);
      const item = await inventory.get(petId);
      if (!item) await inventory.create({ petId, quantity: pet, status: PetStatus.AVAILABLE });
      else if (item.quantity % 5 === 4) await inventory.remove(petId);
      else await inventory.adjust(petId, 1);
    }

    const goOn = (client: Client) => {
      const token = client.watches.findLast((watch) => watch.token !== "")?.token ?? "";
      client.watches.push(startWatch(client.protocol, { url: server.url, secret, token }));
    };

    const versionNow = async () => (await inventory.page(undefined, 1)).version;
    const reached = async (client: Client | undefined) =>
      client?.watches.at(-1)?.reached(await versionNow());

    await fc.assert(
      fc.asyncProperty(steps, async (schedule) => {
        const clients = protocols.map((protocol): Client => ({ protocol, watches: [] }));
        clients.forEach(goOn);
        for (const step of schedule) {
          const client = step.kind === "break" ? clients[step.client] : undefined;
          if (client) {
            client.watches.at(-1)?.disconnect();
            goOn(client);
          }
          if (step.kind !== "changes") continue;
          await Promise.all(step.pets.map(change));
          // Without this wait, most changes would be caught up on, and few would be sent live.
          if (step.waits) await reached(clients[step.pets.length % clients.length]);
        }
        const version = await versionNow();
        const stock = new Map((await listed(inventory)).map((item) => [item.petId, item.quantity]));
        await Promise.all(clients.map(({ watches }) => watches.at(-1)?.reached(version)));
        for (const { watches } of clients) {
          // A watch that ended before its first resume token does not count: its snapshot is incomplete.
          const started = watches.filter((watch) => watch.token !== "");
          const received = started.flatMap((watch) => watch.received);
          const versions = versionsOf(received);
          const from = received.find(
            ({ event }) => event.case === "ready" || event.case === "change",
          );
          const all = (await inventory.changesSince(0n, 10_000))?.changes ?? [];
          const since =
            from?.event.case === "ready" ? from.event.value.version : (versions[0] ?? 0n) - 1n;
          expect(versions).toEqual(
            all.map((change) => change.version).filter((each) => each > since),
          );
          expect(stockAfter(received)).toEqual(stock);
          watches.at(-1)?.disconnect();
        }
        await eventually("all watches have ended", () =>
          clients.every(({ watches }) => watches.every((watch) => watch.end !== undefined)),
        );
      }),
      { numRuns: 15 },
    );
  }, 60_000);
});
