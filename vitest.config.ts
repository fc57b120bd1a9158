import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 20_000,
    // Many tests wait for real processes and time-outs: every core can run others meanwhile.
    maxWorkers: "100%",
  },
});
