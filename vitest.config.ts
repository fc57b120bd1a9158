import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Tests of outages measure how soon the service notices one, or require that no request of a full load fails. Redis must
 * reply within 300 ms, so nothing else may run in the meantime.
 */
const outages = ["test/**/*.outage.test.ts"];

/** Tests that wait for real timeouts, measure costs, start many processes, or send very many requests. */
const slow = ["test/**/*.slow.test.ts"];

/** Slow tests that replace modules, which therefore share no modules with other files. */
const mocks = ["test/**/*.mock.test.ts"];

/** Tests in Chromium, which `npm run test:console` runs. */
const browser = ["test/{console,reference}/**/*.test.ts"];

/**
 * Files share a worker's modules: loading them for each file would take as long as the tests. So none of them may use
 * `vi.mock`, whose effect depends on the files that ran before.
 */
const isolate = false;

/** Many tests wait for real processes and timeouts. Others run in the meantime. */
const maxWorkers = Math.ceil(1.5 * availableParallelism());

/** Slow tests compare times and loads, so each worker has a core. With three on two cores, one of 2,500 often failed. */
const slowWorkers = availableParallelism();

/** The files that take longest. Each begins early, so that none of them runs alone at the end. */
const longest = ["unread-memory.slow", "stalled-watches.slow", "guard.mock", "start-up.slow"];

/** Runs the longest files first. Vitest does not know how long files take, unless it ran them before. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      longest.some((name) => moduleId.endsWith(`/${name}.test.ts`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 20_000,
    expect: {
      // A test without an expectation, or one that reaches none, fails.
      requireAssertions: true,
      // A condition can take longer than Vitest's second on a busy machine.
      poll: { timeout: 10_000 },
    },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "all else",
          include: ["test/**/*.test.ts"],
          exclude: [...slow, ...mocks, ...outages, ...browser],
          isolate,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: slow,
          isolate,
          maxWorkers: slowWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "mocks",
          include: mocks,
          maxWorkers: slowWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "outages",
          include: outages,
          isolate,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
