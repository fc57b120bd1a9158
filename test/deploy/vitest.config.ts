import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts", "test/deploy/tools.ts"],
    include: ["test/deploy/*.check.ts"],
    // Builds of the image load all cores.
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
});
