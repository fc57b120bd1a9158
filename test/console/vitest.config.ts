import { defineConfig } from "vitest/config";

/** Tests of the browser pages in Chromium: `npm run test:console`. */
export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts", "test/console/support/build-pages.ts"],
    include: ["test/{console,reference}/**/*.test.{ts,tsx}"],
    // The files of a worker share a browser, which has several processes.
    isolate: false,
    maxWorkers: 2,
    testTimeout: 60_000,
    // A page can take longer than Vitest's second on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
  },
});
