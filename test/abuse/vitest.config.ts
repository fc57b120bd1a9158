import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    include: ["test/abuse/*.check.ts"],
    fileParallelism: false,
    // A busy machine can make an attack run three times.
    testTimeout: 300_000,
    hookTimeout: 60_000,
    expect: { requireAssertions: true },
    disableConsoleIntercept: true,
  },
});
