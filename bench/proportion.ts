import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadCore, moveToCore } from "./machine/cores.ts";
import { startServer } from "./machine/server.ts";
import { measureProportions } from "./proportion/measure.ts";
import { proportionReport, proportionRow } from "./proportion/report.ts";
import { withStage } from "./proportion/stage.ts";
import { startBenchRedis } from "./redis.ts";
import { ourServer } from "./servers.ts";

// The cost of each method for each request that its calls count as. With `--only TEXT`, prints some methods.
const { values: options } = parseArgs({ options: { only: { type: "string", default: "" } } });
moveToCore(loadCore, process.pid);
const scratch = mkdtempSync(join(tmpdir(), "inventory-proportion-"));
const { server: redis, pid } = await startBenchRedis();
const context = { redisUrl: redis.url, scratch, nodeOptions: [] };
const { hasProbe: _, ...spec } = { ...ourServer, args: () => ourServer.args(context).slice(1) };
try {
  await withStage(
    { url: redis.url, pid },
    () => startServer(spec, context),
    async (stage) => {
      const report = proportionReport(
        await measureProportions(stage, options.only, (cost) =>
          process.stderr.write(`${proportionRow(cost)}\n`),
        ),
      );
      process.stdout.write(report);
      if (options.only === "") writeFileSync(join(import.meta.dirname, "proportion.md"), report);
    },
  );
} finally {
  await redis.stop();
  rmSync(scratch, { recursive: true, force: true });
}
