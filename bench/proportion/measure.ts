import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { PetService } from "../../gen/pets/v1/pets_pb.ts";
import { StoreService } from "../../gen/store/v1/store_pb.ts";
import { UsageService } from "../../gen/usage/v1/usage_pb.ts";
import { threadsCpuMicros } from "../machine/process-use.ts";
import { cases, type Work } from "./cases.ts";
import { accountId, type Stage, somePets } from "./stage.ts";

/** The services whose methods have a cost. */
const services: readonly DescService[] = [
  InventoryService,
  StoreService,
  PetService,
  UsageService,
  AdminService,
];

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

/** The names of methods without a case. */
export function methodsWithoutCase(): string[] {
  const names = services.flatMap(({ methods }) => methods.map(nameOf));
  return names.filter((name) => !(name in cases));
}

/** Returns a method as `inventory.v1.InventoryService/GetInventoryItem`. */
function nameOf({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}

/** Measures all cases whose titles include a text. @param onCost called with each cost when it is known */
export async function measureProportions(
  stage: Stage,
  only: string,
  onCost: (cost: Cost) => void,
): Promise<Cost[]> {
  const [item] = somePets(1, 500);
  const read = await measure(stage, {
    call: () => stage.call(InventoryService.method.getInventoryItem, { petId: item }),
    // The server has just started: the first calls compile code.
    times: 50,
  });
  const costs: Cost[] = [];
  for (const [name, works] of Object.entries(cases)) {
    for (const [input, makeWork] of Object.entries(works)) {
      const title = input === "" ? name : `${name}: ${input}`;
      if (typeof makeWork === "string" || !title.includes(only)) continue;
      const { requests, redis, process } = await measure(stage, await makeWork(stage));
      const [redisRatio, processRatio] = [redis / read.redis, process / read.process];
      const cost = { title, requests, redis, process, redisRatio, processRatio };
      costs.push(cost);
      onCost(cost);
    }
  }
  return costs;
}

/** Returns the least cost of a request in several rounds. */
async function measure(stage: Stage, { call, prepare, times = 1 }: Work) {
  const run = async (count: number) => {
    await prepare?.(count);
    const before = cpuOf(stage);
    const first = await leftOf(stage);
    for (let at = 0; at < count; at += 1) await call();
    const last = await leftOf(stage);
    const after = cpuOf(stage);
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
async function leftOf(stage: Stage): Promise<number> {
  const { left } = await stage.call(AdminService.method.getAccount, { accountId });
  return left;
}
