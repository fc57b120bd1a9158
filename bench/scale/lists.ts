import { stockChangesKey } from "../../src/stores/redis/keys.ts";
import { httpList } from "../calls.ts";
import { storedItem } from "../data.ts";
import { benchItem } from "../items.ts";
import { driveByH2load } from "../load/h2load.ts";
import { probeHttp } from "../load/probe.ts";
import { costsOf } from "./cost.ts";
import { pidsOf, type StockStage } from "./stock.ts";
import type { Subject } from "./subject.ts";

/** One request at a time. Concurrent ones would share script calls, and fewer of them if responses are longer. */
const options = { protocol: "http/1.1", connections: 1, streams: 1 } as const;

/** The whole list while nothing changes: the server has it cached, and asks Redis whether it is current. */
export const unchangedList: Subject<StockStage> = {
  title: "The whole list, unchanged: GET /v1/inventory",
  lines: [
    { name: "server", unit: "µs/item" },
    { name: "server", unit: "µs/req" },
    { name: "Redis", unit: "µs/req" },
  ],
  logarithmic: true,
  async measure(stage, seconds) {
    const { items, server, data } = stage;
    const run = { ...stage, seconds };
    const call = httpList(items);
    const { byteLength } = await probeHttp(call, run);
    const requests = requestsFor(items, seconds);
    const [own, redis] = await costsOf(pidsOf(stage), async () => {
      const { bodyBytes } = await driveByH2load(
        call,
        { ...options, port: server.port, key: data.keys[0] ?? "", requests },
        run,
      );
      if (bodyBytes !== byteLength * requests) {
        throw new Error(`${requests} lists of ${byteLength} bytes had ${bodyBytes} bytes in all`);
      }
      return requests;
    });
    return [own / items, own, redis];
  },
};

/** Returns the number of requests that fit into the run: 100 µs each, plus 20 ns per item. */
function requestsFor(items: number, seconds: number): number {
  return Math.ceil((seconds * 1_000_000) / (100 + items / 50));
}

/**
 * The whole list of a server without a current one: the history no longer has the version of its cached list, so it must
 * read everything. Unlike after a start, its code is warm.
 */
export const firstList: Subject<StockStage> = {
  title: "The first list",
  lines: [
    { name: "server", unit: "µs/item" },
    { name: "Redis", unit: "µs/item" },
  ],
  logarithmic: true,
  async measure(stage) {
    const { items, stores, redis } = stage;
    // The first change makes the server's list outdated. Without it in the history, the list must be read again.
    await stores.catalog.put([storedItem(benchItem(items))]);
    await redis.xtrim(stockChangesKey, "MAXLEN", 0);
    await stores.catalog.put([storedItem(benchItem(items))]);
    return costsOf(pidsOf(stage), async () => {
      await probeHttp(httpList(items), { ...stage, seconds: 0 });
      return items;
    });
  },
};
