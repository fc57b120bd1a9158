import { defineConfig } from "vitest/config";

/** Tests of outages measure how soon the service notices one, so nothing else may run in the meantime. */
const outages = ["test/**/*.outage.test.ts"];

/** Tests that wait for real timeouts, measure costs, start many processes, send very many requests, or mock modules. */
const slow = ["test/**/*.slow.test.ts"];

/** Tests in Chromium, which `npm run test:console` runs. */
const browser = ["test/{console,reference}/*.test.ts"];

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
          exclude: [...slow, ...outages, ...browser],
          // Files share a worker's modules: loading them for each file would take as long as the tests. So none of them
          // may use `vi.mock`, whose effect depends on the files that ran before.
          isolate: false,
          // Many tests wait for real processes and timeouts. Every core can run others in the meantime.
          maxWorkers: "100%",
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: slow,
          maxWorkers: "100%",
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "outages",
          include: outages,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
