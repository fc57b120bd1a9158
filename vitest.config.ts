import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: "all else",
          include: ["test/**/*.test.ts"],
          exclude: ["test/faults/redis-*.test.ts"],
          // Many tests wait for real processes and time-outs: every core can run others meanwhile.
          maxWorkers: "100%",
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "outages",
          include: ["test/faults/redis-*.test.ts"],
          // These hold how soon an outage is told and over: nothing else may take the machine's time.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
