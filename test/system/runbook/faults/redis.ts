import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, rmdirSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { startRedisServer } from "../../harness/redis-server.ts";
import { until } from "../../harness/until.ts";
import type { Drill, Fault } from "../drill.ts";

const run = promisify(execFile);

/** Runs a command of Redis. @returns its reply */
async function redis({ redis: { url } }: Drill, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run("redis-cli", ["-u", url, ...args]);
  return stdout.trim();
}

/** Waits for the alerts of a fault that burns a budget, types what the runbook says of each, and waits for their ends. */
async function burns(drill: Drill, budget: "Availability" | "Latency", cause: string) {
  const budgets = ["Fast", "Slowly"].map((pace) => `Inventory${budget}BudgetBurns${pace}`);
  await drill.fires(cause, ...budgets);
  for (const alert of [...budgets, cause]) await drill.types(alert);
  await drill.clears(cause, ...budgets);
}

const stopped: Fault = {
  name: "redis-stopped",
  async run(drill) {
    drill.load();
    drill.redis.pause();
    await burns(drill, "Availability", "InventoryRedisDown");
  },
};

/** How long each command of a foreign client keeps Redis busy, in milliseconds: too slow for the objective, but no error. */
const busyMs = 125;

/** A client that is not the service, and sends slow commands until Redis disconnects it. */
function sendSlowCommands(port: number): void {
  const script = `local s = redis.call('TIME') repeat local n = redis.call('TIME') until (n[1] - s[1]) * 1000000 + n[2] - s[2] > ${busyMs * 1_000} return 'done'`;
  const command = `*3\r\n$4\r\nEVAL\r\n$${script.length}\r\n${script}\r\n$1\r\n0\r\n`;
  const socket = createConnection(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.on("data", () => socket.write(command));
  socket.write(command);
}

const slow: Fault = {
  name: "redis-slow",
  async run(drill) {
    drill.load();
    sendSlowCommands(drill.redis.port);
    await burns(drill, "Latency", "InventoryRedisSlow");
  },
};

/** The bytes that Redis uses, and its limit. */
async function memoryOf(drill: Drill): Promise<{ used: number; most: number }> {
  const memory = await redis(drill, "info", "memory");
  const value = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(memory)?.[1]);
  return { used: value("used_memory"), most: value("maxmemory") };
}

/** Fills Redis with keys of another application, up to a share of its memory limit. */
async function fill(drill: Drill, share: number): Promise<void> {
  for (let index = 0; ; index += 1) {
    const { used, most } = await memoryOf(drill);
    if (used >= share * most) return;
    await redis(drill, "setrange", `filler:${index}`, "100000", "x");
  }
}

const full: Fault = {
  name: "redis-full",
  async run(drill) {
    await redis(drill, "config", "set", "maxmemory", "16mb");
    await fill(drill, 0.9);
    await drill.proves("InventoryRedisMemoryNearLimit");
    // Redis would refuse the last keys before it uses all of a fixed limit, and stay just below it.
    const { used } = await memoryOf(drill);
    await redis(drill, "config", "set", "maxmemory", `${used - 100_000}`);
    await drill.fires("InventoryRedisMemoryFull");
    await drill.types("InventoryRedisMemoryFull");
    await drill.clears("InventoryRedisMemoryFull", "InventoryRedisMemoryNearLimit");
  },
};

const lostReplica: Fault = {
  name: "redis-replica",
  async run(drill) {
    const replica = await startRedisServer("--replicaof", "127.0.0.1", `${drill.redis.port}`);
    drill.units["redis-server"] = {
      async restart() {
        await replica.kill();
        await replica.start();
      },
    };
    try {
      // Prometheus must have seen the replica before it can miss it.
      const replicas = () => drill.prometheus.value("inventory_redis_replicas", drill.job);
      await until("Prometheus sees the replica", async () => (await replicas()) === 1, 15_000);
      replica.pause();
      await drill.proves("InventoryRedisReplicaLags");
      await replica.kill();
      await drill.proves("InventoryRedisReplicaLost");
    } finally {
      await replica.stop();
    }
  },
};

const cannotSave: Fault = {
  name: "redis-save",
  async run(drill) {
    const directory = (await redis(drill, "config", "get", "dir")).split("\n")[1] ?? "";
    // A directory in the place of the file, since a test cannot fill the disk.
    const obstacle = join(directory, "dump.rdb");
    mkdirSync(obstacle);
    execFileSync("redis-cli", ["-u", drill.redis.url, "bgsave"], { stdio: "ignore" });
    await drill.proves("InventoryRedisSaveFailed", () => rmdirSync(obstacle));
  },
};

export const redisFaults: readonly Fault[] = [stopped, slow, lostReplica, full, cannotSave];
