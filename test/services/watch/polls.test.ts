import { setImmediate as nextTick } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addAccount, addKey } from "../../support/accounts.ts";
import { useServer } from "../../support/server.ts";
import { listed } from "../../support/stock.ts";
import { storeKinds } from "../../support/stores.ts";
import {
  jsonArray,
  kindsOf,
  startWatch,
  versionsOf,
  type Watch,
  watchProtocols,
} from "../../support/watch.ts";
import { aChange, account, aSelection, concerned, copyAfter, selected } from "./random-changes.ts";

const changes = 2_000;

/** Changes that are made at the same time. */
const atOnce = 20;

const protocols = [...watchProtocols, jsonArray];

describe.each(storeKinds)("polling in $name", (kind) => {
  const server = useServer(kind, { WATCH_BACKLOG: "100" });

  test(`copies equal the list after ${changes} random changes, each of which was sent once`, async () => {
    const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
    const accountId = await addAccount(server.stores, { plan: "enterprise", limits }, account);
    const { secret } = await addKey(server.stores, accountId);
    const all = fc.sample(aChange, changes);
    // One client has the whole stock, the others selections.
    const selections = [{}, ...fc.sample(aSelection, protocols.length - 1)];
    let isOver = false;

    async function poll(protocol: (typeof protocols)[number], token: string, at: number) {
      const selection = selections[at];
      const watch = startWatch(protocol, { url: server.url, secret, token, selection, once: true });
      await expect.poll(() => watch.end, { timeout: 60_000, interval: 1 }).toBe("end");
      expect(kindsOf(watch.received).indexOf("ready")).toBe(watch.received.length - 1);
      return watch;
    }

    async function pollAll(protocol: (typeof protocols)[number], at: number): Promise<Watch[]> {
      const watches = [await poll(protocol, "", at)];
      let isLast = false;
      while (!isLast) {
        isLast = isOver;
        watches.push(await poll(protocol, watches.at(-1)?.token ?? "", at));
      }
      return watches;
    }

    async function changeAll(): Promise<void> {
      for (let at = 0; at < changes; at += atOnce) {
        await Promise.all(all.slice(at, at + atOnce).map((change) => change(server.stores)));
        // The changes of the stores in memory take no time, in which clients could poll.
        await nextTick();
      }
      isOver = true;
    }

    const [polled] = await Promise.all([Promise.all(protocols.map(pollAll)), changeAll()]);
    const { inventory } = server.stores;
    const stock = await listed(inventory);
    const history = (await inventory.changesSince(0n, 100_000))?.changes ?? [];
    expect(history.length).toBeGreaterThan(changes / 2);
    for (const [at, watches] of polled.entries()) {
      const selection = selections[at] ?? {};
      expect(watches.length).toBeGreaterThan(3);
      const received = watches.flatMap((watch) => watch.received);
      expect(copyAfter(received, selection)).toEqual(selected(stock, selection));
      const first = BigInt(watches[0]?.token ?? "");
      expect(versionsOf(received)).toEqual(
        concerned(history, selection).filter((version) => version > first),
      );
    }
  }, 60_000);
});
