import { expect, test } from "vitest";
import { useRedis } from "../../support/stores.ts";
import { useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

const redis = useRedis();
const servers = useServers();

test("if the primary process is killed, its workers exit", async () => {
  const server = await servers.start({ REDIS_URL: redis.url, WORKERS: "2" });
  await server.printed('"msg":"listening"', 2, 15_000);
  const pids = [...server.stdout.matchAll(/"pid":(\d+)/g)].map(([, pid]) => Number(pid));
  expect(pids).toHaveLength(2);
  server.kill("SIGKILL");
  await until("the workers have exited", () => pids.every((pid) => !isRunning(pid)), 15_000);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
