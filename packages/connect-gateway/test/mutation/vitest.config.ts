import { defineConfig } from "vitest/config";

/** The tests that mutants of the transcoder have to survive. A slow machine is no reason to fail. */
export default defineConfig({
  test: { include: ["packages/connect-gateway/test/rest/**/*.test.ts"], testTimeout: 20_000 },
});
