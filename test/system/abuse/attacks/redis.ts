import { Redis } from "ioredis";
import type { Target } from "./attack.ts";

/** Resources that Redis has used so far. */
export interface RedisUse {
  /** Memory of its data, in bytes. */
  readonly bytes: number;
  /** CPU time, in ms. */
  readonly cpuMs: number;
}

/** Measures the resources that Redis has used so far. */
export async function redisUse({ redisUrl }: Target): Promise<RedisUse> {
  const redis = new Redis(redisUrl);
  try {
    const info = await redis.info();
    const field = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(info)?.[1]);
    return {
      bytes: field("used_memory_dataset"),
      cpuMs: (field("used_cpu_user") + field("used_cpu_sys")) * 1_000,
    };
  } finally {
    redis.disconnect();
  }
}
