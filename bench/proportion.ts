import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadCore, moveToCore } from "./machine/cores.ts";
import { measureProportions } from "./proportion/measure.ts";
import { proportionReport, proportionRow } from "./proportion/report.ts";
import { withStage } from "./proportion/stage.ts";

// The cost of each method for each request that its calls count as. `--only TEXT` measures some methods, and writes nothing.
const { values: options } = parseArgs({ options: { only: { type: "string", default: "" } } });
moveToCore(loadCore, process.pid);
await withStage(async (stage) => {
  const costs = await measureProportions(stage, options.only, (cost) =>
    process.stdout.write(`${proportionRow(cost)}\n`),
  );
  if (options.only === "") {
    writeFileSync(
      join(import.meta.dirname, "proportion.md"),
      proportionReport(costs, stage.largest),
    );
  }
});
