import { defineConfig } from "vitest/config";

/** Tests of outages measure how soon the service notices one: nothing else may take the machine's time. */
const outages = ["test/faults/redis-*.test.ts"];

/** Tests that wait for real time-outs, measure costs, start many processes, or send very many requests. */
const slow = [
  "test/abuse/*.test.ts",
  "test/cli/{import-interrupted,import-to-server}.test.ts",
  "test/docs/walkthrough.test.ts",
  "test/faults/**/*.test.ts",
  "test/front-door/{http2-resets,lingering-close,stalled-clients,unread-bodies}.test.ts",
  "test/http/cut.test.ts",
  "test/linearizability/kills.test.ts",
  "test/live/{many-watchers,slow-watcher,stalled-watches}.test.ts",
  "test/openapi/reference-page.test.ts",
  "test/stores/{address-memory,comparison}.test.ts",
];

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
          exclude: slow,
          // Many tests wait for real processes and time-outs: every core can run others in the meantime.
          maxWorkers: "100%",
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: slow,
          exclude: outages,
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
