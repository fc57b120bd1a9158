import { defineConfig } from "vitest/config";

/** The tests that mutants of the transcoder have to survive. */
export default defineConfig({ test: { include: ["test/rest/**/*.test.ts"] } });
