import { defineConfig } from "vitest/config";

/** Runs the tests of the stores and of the contract on a Redis Cluster. */
export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts", "test/cluster/global-setup.ts"],
    include: ["test/stores/**/*.test.ts", "test/contract/*.test.ts"],
    // These files look into one server, or measure it.
    exclude: [
      "test/stores/redis/{address-memory.slow,credentials,full-memory,history-trimmer,known-refusals,lifetimes,list-cache,list-changes,order-index,outcome-size,versions}.test.ts",
    ],
    isolate: false,
    // Each worker has a cluster, which its files share.
    maxWorkers: 2,
    testTimeout: 20_000,
    expect: { requireAssertions: true, poll: { timeout: 10_000 } },
  },
});
