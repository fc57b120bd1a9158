import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts", "test/deploy/tools.ts"],
    include: ["test/deploy/*.check.ts"],
    // Half of the time is waiting: for drains, for systemd and for downloads.
    maxWorkers: 2,
    testTimeout: 30_000,
    // Building the image takes 13 s alone, and far longer on a busy machine.
    hookTimeout: 300_000,
  },
});
