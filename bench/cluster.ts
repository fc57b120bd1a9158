import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureBatches, measureShares } from "./cluster/decisions.ts";
import { clusterPlot } from "./cluster/plot.ts";
import { measureRates } from "./cluster/rates.ts";
import {
  batchSection,
  clusterReport,
  rateSection,
  requestSection,
  shareSection,
  stockSection,
} from "./cluster/report.ts";
import { measureRequests } from "./cluster/requests.ts";
import { measureStock } from "./cluster/stock.ts";
import { loadCore, moveToCore } from "./machine/cores.ts";
import { describeMachine } from "./machine/versions.ts";
import { progress } from "./progress.ts";

/** Short runs, many of them: on a shared machine, other work disturbs some of them only. */
const full = { warmUpSeconds: 1, runSeconds: 0.3, rounds: 9 };
const quick = { warmUpSeconds: 0.2, runSeconds: 0.2, rounds: 2 };
/** The generator of a given rate has runs of at least three seconds. */
const fewer = { ...full, rounds: 3 };

const { values: options } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const effort = options.quick ? quick : full;
const machine = describeMachine();
moveToCore(loadCore, process.pid);
const scratch = mkdtempSync(join(tmpdir(), "inventory-cluster-"));
const context = { scratch, nodeOptions: [] };
try {
  const rates = show(rateSection(await measureRates(context, options.quick ? quick : fewer)));
  const batches = show(batchSection(await measureBatches(effort)));
  const shares = await measureShares([1, 2, 3], effort);
  const sections = [
    batches,
    show(shareSection(shares)),
    show(requestSection(await measureRequests(context, effort))),
    show(stockSection(await measureStock(effort))),
    rates,
  ];
  if (!options.quick) {
    const folder = import.meta.dirname;
    writeFileSync(join(folder, "cluster.md"), clusterReport(sections, machine));
    writeFileSync(join(folder, "cluster.svg"), clusterPlot(shares));
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Prints a section of the report. */
function show(section: string): string {
  progress("");
  process.stdout.write(`${section}\n\n`);
  return section;
}
