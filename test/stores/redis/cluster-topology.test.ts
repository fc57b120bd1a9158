import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useCluster } from "../../../src/stores/redis/connection/cluster.ts";
import type { NodeFactory } from "../../../src/stores/redis/connection/node.ts";
import { addressText } from "../../../src/stores/redis/connection/settings.ts";

const slotCount = 16_384;
const seed = "seed.example:6379";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("a cluster whose servers were all replaced is found again by the addresses of the settings", async () => {
  /** The servers that run, each with the primary that it reports for all slots. */
  const running = new Map([
    [seed, "10.0.0.1"],
    ["10.0.0.1:6379", "10.0.0.1"],
  ]);
  const createNode = (parsed: { readonly host: string; readonly port: number }) => {
    const address = addressText(parsed);
    return {
      address,
      redis: { call: async () => [[0, slotCount - 1, [running.get(address), 6379]]] },
      isReady: () => running.has(address),
      isWritable: () => running.has(address),
      ready: async () => running.has(address),
      failure: () => undefined,
      close() {},
      disconnect() {},
    };
  };
  const topology = useCluster(
    { addresses: [{ host: "seed.example", port: 6379 }] } as never,
    createNode as unknown as NodeFactory,
    { lost() {}, recovered() {} },
    () => {},
  );
  const usesOnly = (address: string) => async () => {
    await vi.advanceTimersByTimeAsync(5_000);
    expect(topology.nodes().map((node) => node.address)).toEqual([address]);
  };
  await vi.waitFor(usesOnly("10.0.0.1:6379"), 10_000);
  // Both servers are gone, and the name of the settings leads to another one.
  running.clear();
  running.set(seed, "10.0.0.2");
  running.set("10.0.0.2:6379", "10.0.0.2");
  await vi.waitFor(usesOnly("10.0.0.2:6379"), 10_000);
  expect(topology.nodeOf(slotCount - 1)?.address).toBe("10.0.0.2:6379");
  topology.stop();
  expect(vi.getTimerCount()).toBe(0);
});
