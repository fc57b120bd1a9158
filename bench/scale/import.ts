import { storedItem } from "../data.ts";
import { benchItem } from "../items.ts";
import { costsOf } from "./cost.ts";
import type { StockStage } from "./stock.ts";
import type { Subject } from "./subject.ts";

/** The number of rows in one step, as on the command line, and in all. */
const rowsAtOnce = 1_000;
const rowsInAll = 10_000;

/** Puts rows of existing pets into the store, as an import does. */
export const importRows: Subject<StockStage> = {
  title: "Import of existing rows",
  lines: [
    { name: "process", unit: "µs/row" },
    { name: "Redis", unit: "µs/row" },
    { name: "speed", unit: "rows/s" },
  ],
  async measure({ items, stores, redisPid }) {
    const rows = Array.from({ length: rowsInAll }, () =>
      storedItem(benchItem(1 + Math.floor(Math.random() * items))),
    );
    const began = performance.now();
    const costs = await costsOf([process.pid, redisPid], async () => {
      for (let at = 0; at < rowsInAll; at += rowsAtOnce) {
        const counts = await stores.catalog.put(rows.slice(at, at + rowsAtOnce));
        if ("kind" in counts || counts.updated !== rowsAtOnce) {
          throw new Error(`some of the ${rowsAtOnce} rows did not exist before`);
        }
      }
      return rowsInAll;
    });
    return [...costs, rowsInAll / ((performance.now() - began) / 1_000)];
  },
};
