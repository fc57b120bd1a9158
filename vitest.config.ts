import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files share a worker's modules: loading them for each file would take as long as the tests. So none of them may use
 * `vi.mock`, whose effect depends on the files that ran before.
 */
const isolate = false;

/** The tests of the service and those of its packages. */
function testsOf(names: string): string[] {
  return [`test/**/${names}`, `packages/*/test/**/${names}`];
}

/**
 * Tests of outages measure how soon the service notices one, or require that no request of a full load fails. Redis must
 * reply within 300 ms, so nothing else may run in the meantime.
 */
const outages = testsOf("*.outage.test.ts");

/** Tests that wait for real timeouts, measure costs, start many processes, or send very many requests. */
const slow = testsOf("*.slow.test.ts");

/** Slow tests that replace modules, which therefore share no modules with other files. */
const mocks = testsOf("*.mock.test.ts");

/** Tests in Chromium. */
const browser = ["test/system/{console,reference}/**/*.test.{ts,tsx}"];

/** Tests of the stores that look into one server, or measure it, so that they do not run on a cluster. */
const oneServer = [
  "test/stores/redis/{address-memory.slow,credentials,full-memory,history-trimmer,known-refusals,lifetimes,list-cache,list-changes,outcome-size,versions}.test.ts",
];

/** Each is a step of its own in CI, because it takes minutes or needs more than Redis. */
const systemTests = [
  {
    name: "console",
    include: browser,
    globalSetup: "test/system/console/support/build-pages.ts",
    // The files of a worker share a browser, which has several processes.
    isolate,
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most tests wait for what the page shows, which Vitest does not count as an expectation.
    expect: { requireAssertions: false },
  },
  {
    name: "cluster",
    include: ["test/stores/**/*.test.ts", "test/contract/*.test.ts"],
    exclude: oneServer,
    globalSetup: "test/system/cluster/global-setup.ts",
    isolate,
    // Each worker has a cluster, which its files share.
    maxWorkers: 2,
  },
  {
    name: "deploy",
    include: ["test/system/deploy/*.check.ts"],
    globalSetup: "test/system/deploy/tools.ts",
    // Half of the time is waiting: for drains, for systemd and for downloads.
    maxWorkers: 2,
    testTimeout: 30_000,
    // Building the image takes 13 s alone, and far longer on a busy machine.
    hookTimeout: 300_000,
  },
  {
    name: "linearizability",
    include: ["test/system/linearizability/*.check.ts"],
    // Files run one after another, because each loads all cores.
    maxWorkers: 1,
    testTimeout: 900_000,
    hookTimeout: 60_000,
  },
  {
    name: "abuse",
    include: ["test/system/abuse/*.check.ts"],
    maxWorkers: 1,
    // A busy machine can make an attack run three times.
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
];

/** Many tests wait for real processes and timeouts. Others run in the meantime. */
const maxWorkers = Math.ceil(1.5 * availableParallelism());

/** Slow tests compare times and loads, so each worker has a core. With three on two cores, one of 2,500 often failed. */
const slowWorkers = availableParallelism();

/** The files that take longest. Each begins early, so that none of them runs alone at the end. */
const longest = ["unread-memory.slow", "guard.mock", "start-up.slow", "nothing-held.slow"];

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
    // Hooks start Redis and servers, which took more than Vitest's 10 s on a busy machine.
    hookTimeout: 30_000,
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
          name: "quick",
          include: testsOf("*.test.ts"),
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
      ...systemTests.map((test, index) => ({
        extends: true as const,
        test: { ...test, sequence: { groupOrder: 3 + index } },
      })),
    ],
  },
});
