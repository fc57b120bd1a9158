import type { JsonObject } from "@bufbuild/protobuf";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import type { LargestRequests } from "../../test/support/largest-requests.ts";
import { threadsCpuMicros } from "../machine/process-use.ts";
import { accountId, type Stage, somePets } from "./stage.ts";

/** What a call of a method costs for each request that it counts as, in µs of CPU time. */
export interface Cost {
  readonly title: string;
  readonly requests: number;
  readonly redis: number;
  readonly process: number;
  /** The same, divided by the cost of reading an item. */
  readonly redisRatio: number;
  readonly processRatio: number;
}

/** Calls with the same work before those that are measured. The first ones also compile code. */
const warmUp = 10;
const calls = 10;
/** Rounds of which the one with the least cost counts, because other work of the machine only adds to it. */
const rounds = 3;

/** Measures the most expensive requests of all methods whose titles include a text. @param onCost called with each cost when it is known */
export async function measureProportions(
  stage: Stage,
  only: string,
  onCost: (cost: Cost) => void,
): Promise<Cost[]> {
  const [item] = somePets(1, 500);
  const method = InventoryService.method.getInventoryItem;
  const ofItem = { method, title: "", make: async () => ({ petId: String(item) }) };
  // The server has just started: the first calls compile code.
  const read = await measure(stage, ofItem, 50);
  const costs: Cost[] = [];
  for (const each of stage.largest) {
    const { make, title } = each;
    if (typeof make === "string" || !title.includes(only)) continue;
    const { requests, redis, process } = await measure(stage, { ...each, make });
    const [redisRatio, processRatio] = [redis / read.redis, process / read.process];
    const cost = { title, requests, redis, process, redisRatio, processRatio };
    costs.push(cost);
    onCost(cost);
  }
  return costs;
}

/** Returns the least cost of a request in several rounds. @param times how many times as many calls are measured */
async function measure(
  stage: Stage,
  { method, make }: LargestRequests & { readonly make: () => Promise<JsonObject> },
  times = 1,
) {
  const run = async (count: number) => {
    const messages: JsonObject[] = [];
    while (messages.length < count) messages.push(await make());
    const first = await leftOf(stage);
    const before = cpuOf(stage);
    for (const message of messages) await stage.call(method, message);
    const after = cpuOf(stage);
    const last = await leftOf(stage);
    const requests = (first - last - 1) / count;
    return {
      requests,
      redis: (after.redis - before.redis) / count / requests,
      process: (after.process - before.process) / count / requests,
    };
  };
  await run(warmUp * times);
  const found: Awaited<ReturnType<typeof run>>[] = [];
  for (let round = 0; round < rounds; round += 1) found.push(await run(calls * times));
  return {
    requests: Math.round(found[0]?.requests ?? 0),
    redis: Math.min(...found.map(({ redis }) => redis)),
    process: Math.min(...found.map(({ process }) => process)),
  };
}

function cpuOf({ redisPid, server }: Stage) {
  return { redis: threadsCpuMicros(redisPid), process: threadsCpuMicros(server.pid) };
}

/** Returns how many requests the account has left of its day, after this one. */
function leftOf(stage: Stage): Promise<number> {
  return stage.call(AdminService.method.getAccount, { accountId });
}
