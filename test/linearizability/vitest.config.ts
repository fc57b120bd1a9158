import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    include: ["test/linearizability/*.check.ts"],
    // Files run one after another, because each loads all cores.
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 60_000,
    disableConsoleIntercept: true,
  },
});
