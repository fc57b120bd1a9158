import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["*.example.ts"], testTimeout: 100_000, fileParallelism: false },
});
