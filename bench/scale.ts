import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadCore, moveToCore } from "./machine/cores.ts";
import { describeMachine } from "./machine/versions.ts";
import { progress } from "./progress.ts";
import { startBenchRedis } from "./redis.ts";
import { measureAccounts, measureHolds, measureStock } from "./scale/measure.ts";
import { scalePlot } from "./scale/plot.ts";
import { scaleReport, scaleTables } from "./scale/report.ts";

const full = {
  sizes: [10, 1_000, 100_000, 1_000_000],
  effort: { warmUpSeconds: 1.5, runSeconds: 0.8, rounds: 3 },
};
const quick = {
  sizes: [10, 1_000],
  effort: { warmUpSeconds: 0.3, runSeconds: 0.3, rounds: 2 },
};

const { values: options } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
// The versions of the machine and of this service. The peers of the other benchmarks are not used here.
const machine = describeMachine();
moveToCore(loadCore, process.pid);
const scratch = mkdtempSync(join(tmpdir(), "inventory-scale-"));
const redis = await startBenchRedis();
try {
  const { url: redisUrl } = redis.server;
  const arena = {
    ...(options.quick ? quick : full),
    ...{ redisUrl, redisPid: redis.pid, scratch, nodeOptions: [] },
  };
  const curves = {
    items: await measureStock(arena),
    holds: await measureHolds(arena),
    accounts: await measureAccounts(arena),
  };
  progress("");
  process.stdout.write(`${scaleTables(curves)}\n`);
  if (!options.quick) {
    const folder = import.meta.dirname;
    writeFileSync(join(folder, "scale.md"), scaleReport(curves, machine));
    writeFileSync(join(folder, "scale.svg"), scalePlot(curves));
  }
} finally {
  await redis.server.stop();
  rmSync(scratch, { recursive: true, force: true });
}
