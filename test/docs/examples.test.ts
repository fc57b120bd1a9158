import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { trackedFiles } from "../support/tracked-files.ts";
import { commandsIn, faultsOf } from "./shell-blocks.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Code blocks of a page, and how they are checked: by the file of a test, or only by this test, for a reason. */
type Checks = Readonly<Record<string, readonly (readonly [blocks: number, how: string])[]>>;

const first = "the first commands in a new clone";
const minutes = "run for minutes";
const publishes = "install a package that is not published yet";
const runsOn = "starts a process that runs until it is stopped";
const changesMachine = "change the machine";
const excerpt = "an excerpt, not a whole program";

/**
 * The blocks of all pages, by page and language, except for console sessions. `faultsOf` checks every block of type sh,
 * also those that nothing runs.
 */
const checks: Checks = {
  "CONTRIBUTING.md sh": [[1, first]],
  "README.md sh": [[1, first]],
  "clients/README.md sh": [
    [1, "set variables"],
    [4, changesMachine],
    [1, minutes],
  ],
  "clients/go/README.md sh": [[1, publishes]],
  "clients/go/README.md go": [[2, "test/system/packages/installed.ts"]],
  "clients/go/README.md": [[1, "test/system/packages/installed.ts"]],
  "clients/java/README.md xml": [[1, publishes]],
  "clients/java/README.md java": [[2, "test/system/packages/installed.ts"]],
  "clients/java/README.md": [[1, "test/system/packages/installed.ts"]],
  "clients/python/README.md sh": [[1, publishes]],
  "clients/python/README.md python": [[1, "test/system/packages/installed.ts"]],
  "clients/python/README.md py": [[2, "test/system/packages/installed.ts"]],
  "clients/python/README.md": [[1, "test/system/packages/installed.ts"]],
  "clients/typescript/README.md sh": [[1, publishes]],
  "clients/typescript/README.md ts": [
    [2, "test/system/packages/installed.ts"],
    [1, "an option that needs another package"],
  ],
  "clients/typescript/README.md": [[1, "test/system/packages/installed.ts"]],
  "docs/caller/clients.md ts": [[1, "test/system/clients/typescript/connect.example.ts"]],
  "docs/caller/console.md sh": [[1, runsOn]],
  "docs/contributor/README.md sh": [[1, first]],
  "docs/contributor/adding-an-operation.md sh": [
    [1, "lists places of the code"],
    [1, minutes],
  ],
  "docs/contributor/architecture.md sh": [[3, "begin the walks, and other pages show them"]],
  "docs/contributor/architecture.md": [[2, "pictures"]],
  "docs/contributor/design.md sh": [[1, "lists the page itself"]],
  "docs/contributor/performance.md sh": [[2, minutes]],
  "docs/contributor/releasing.md sh": [
    [2, "publishes packages"],
    [1, "changes all files"],
  ],
  "docs/contributor/transcoding.md sh": [[2, minutes]],
  "docs/contributor/transcoding.md ts": [[1, excerpt]],
  "docs/contributor/transcoding.md": [[1, "an example of a path"]],
  "docs/contributor/verification.md sh": [[7, minutes]],
  "docs/gateway-comparison.md sh": [[1, minutes]],
  "docs/operator/README.md sh": [[1, runsOn]],
  "docs/operator/audit.md sh": [[2, runsOn]],
  "docs/operator/audit.md": [[2, "show what the commands write"]],
  "docs/operator/configuration.md sh": [[1, changesMachine]],
  "docs/operator/deployment.md sh": [
    [1, "test/system/deploy/helm.check.ts"],
    [1, "test/system/deploy/systemd.check.ts"],
    [5, "need Docker or a cluster"],
    [1, changesMachine],
    [2, minutes],
  ],
  "docs/operator/deployment.md yaml": [[1, "needs a cluster with an adapter for metrics"]],
  "docs/operator/disaster-recovery.md sh": [
    [1, "test/system/deploy/helm.check.ts"],
    [3, "need Docker or a cluster"],
    [1, changesMachine],
  ],
  "docs/operator/limits.md sh": [
    [1, "shows the requests of a running service"],
    [1, runsOn],
  ],
  "docs/operator/logs.md sh": [[1, "test/docs/log-commands.test.ts"]],
  "docs/operator/logs.md json": [[7, "test/docs/logs.test.ts"]],
  "docs/operator/metrics.md yaml": [[1, "the settings of another program"]],
  "docs/operator/operation.md sh": [
    [4, runsOn],
    [2, changesMachine],
    [1, "needs grpcurl"],
    [1, "needs an account and a banned key"],
  ],
  "docs/operator/recipes.md sh": [[2, "install packages of others, as the page says"]],
  "docs/operator/redis.md sh": [[2, "need servers of Redis with these addresses"]],
  "docs/operator/redis.md": [[1, "the settings of another program"]],
  "docs/operator/relay.md sh": [[1, changesMachine]],
  "docs/operator/relay.md yaml": [[1, "test/system/deploy/helm.check.ts"]],
  "docs/operator/relay.md js": [[1, "test/cli/relay-receiver.test.ts"]],
  "docs/operator/runbook.md sh": [[49, "test/system/runbook/entries.ts"]],
  "docs/operator/runbook.md text": [[1, "sets variables"]],
  "docs/operator/scaling.md sh": [[1, minutes]],
  "docs/operator/tracing.md sh": [[1, runsOn]],
  "packages/connect-gateway/README.md sh": [
    [1, publishes],
    [1, "needs the Buf Schema Registry"],
  ],
  "packages/connect-gateway/README.md proto": [[1, "test/docs/gateway.slow.test.ts"]],
  "packages/connect-gateway/README.md yaml": [[2, "test/docs/gateway.slow.test.ts"]],
  "packages/connect-gateway/README.md ts": [[5, "test/docs/gateway.slow.test.ts"]],
  "packages/connect-gateway/README.md json": [[1, "test/docs/gateway.slow.test.ts"]],
  "packages/connect-gateway/example/README.md sh": [[1, "needs the Buf Schema Registry"]],
  "packages/connect-gateway/src/server/node-internals/README.md sh": [[1, minutes]],
  "test/README.md sh": [[1, minutes]],
};

/** test/docs/cli.test.ts writes the blocks of this page, one for each command. */
const generatedPage = "docs/operator/cli.md";

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

function blocksIn(page: string): Block[] {
  const found = read(page).matchAll(/^( *)```([^\n]*)\n(.*?)^\1```$/gms);
  return [...found].map(([, , language = "", text = ""]) => ({ page, language, text }));
}

const blocks = trackedFiles("*.md").flatMap(blocksIn);
const isSession = ({ language }: Block) => language === "console";

test("every code block is run by a test, or listed with the reason why not", () => {
  const counts: Record<string, number> = {};
  const byHand = blocks.filter((block) => !isSession(block) && block.page !== generatedPage);
  for (const { page, language } of byHand) {
    const key = `${page} ${language}`.trim();
    counts[key] = (counts[key] ?? 0) + 1;
  }
  const listed = Object.entries(checks).map(([key, parts]) => [
    key,
    parts.reduce((sum, [count]) => sum + count, 0),
  ]);
  expect(counts).toEqual(Object.fromEntries(listed));
});

test("each test that is listed names the page", () => {
  const tests = Object.entries(checks).flatMap(([key, parts]) =>
    parts.flatMap(([, how]) =>
      /^(?:packages\/[^/]+\/)?test\//.test(how) ? [{ key, test: how }] : [],
    ),
  );
  const wrong = tests.filter(({ key, test }) => {
    const [page = ""] = key.split(" ");
    const name = page.startsWith("clients/") ? "README.md" : page.replace(/^packages\/[^/]+\//, "");
    return !existsSync(join(root, test)) || !read(test).includes(name);
  });
  expect(tests.length).toBeGreaterThan(5);
  expect(wrong).toEqual([]);
});

test("docs/caller/clients.md shows lines of a test of the TypeScript client", () => {
  const withoutIndent = (code: string) => code.replace(/^ +/gm, "");
  const [snippet, ...others] = blocks.filter(
    ({ page, language }) => page === "docs/caller/clients.md" && language === "ts",
  );
  const tested = withoutIndent(read("test/system/clients/typescript/connect.example.ts"));
  expect(tested).toContain(withoutIndent(snippet?.text ?? "no snippet"));
  expect(others).toEqual([]);
});

test("a test types the console sessions of each page", () => {
  const openings = read("test/docs/openings.slow.test.ts");
  const pages = new Set(blocks.filter(isSession).map(({ page }) => page));
  const untyped = [...pages].filter((page) => {
    const [, elsewhere] = new RegExp(`"${RegExp.escape(page)}": "([^"]*)"`).exec(openings) ?? [];
    if (elsewhere === undefined) return !/^(README|docs\/\w+\/[\w-]+)\.md$/.test(page);
    const [, test] = /^([\w./-]+\.ts) /.exec(elsewhere) ?? [];
    return test === undefined || !read(`test/docs/${test}`).includes(page);
  });
  expect(pages.size).toBeGreaterThan(10);
  expect(untyped).toEqual([]);
});

describe.each(trackedFiles("*.md"))("%s", (page) => {
  const own = blocksIn(page);

  test("has commands whose syntax is right, and which name only what exists", () => {
    const scripts = own.filter(({ language }) => language === "sh");
    expect(scripts.flatMap(({ text }) => faultsOf(text))).toEqual([]);
  });

  test("sets the alias of the command line, or links to it, before the first command that uses it", () => {
    const uses = /^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:[A-Z]+=\$\()?inventory (?!=)/m;
    const scripts = own.filter(({ language }) => ["sh", "console"].includes(language));
    const first = scripts.find(({ text }) => uses.test(text));
    const until = first ? read(page).indexOf(first.text) + first.text.length : 0;
    const alias = /the alias\s`inventory`\]\(|^(?:\$ )?alias inventory=/m;
    expect(first === undefined || alias.test(read(page).slice(0, until))).toBe(true);
  });

  test("has tables with a header", () => {
    const text = read(page).replaceAll(/^( *)```.*?^\1```$/gms, "");
    const tables = Array.from(text.matchAll(/(?:^ *\|.*\n)+/gm), ([table]) => table.split("\n"));
    expect(tables.filter(([, second = ""]) => !/^ *\|(?: *:?-+:? *\|)+$/.test(second))).toEqual([]);
  });

  test("has YAML and JSON that can be parsed", () => {
    const textsIn = (wanted: string) =>
      own.flatMap(({ language, text }) => (language === wanted ? [text] : []));
    const documents = textsIn("yaml").flatMap((text) => parseAllDocuments(text));
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    const lines = textsIn("json").flatMap((text) => text.trimEnd().split("\n"));
    expect(() => lines.map((line) => JSON.parse(line))).not.toThrow();
  });
});

describe("what the check finds", () => {
  test("splits a script into commands", () => {
    const script = "A=1 sudo npm run 'a b' \\\n  -- --c # not this\nx=$(d e | f); g && h#i\n";
    expect(commandsIn(script)).toEqual([
      { variables: ["A"], words: ["sudo", "npm", "run", "a b", "--", "--c"] },
      { variables: [], words: ["x=$"] },
      { variables: [], words: ["d", "e"] },
      { variables: [], words: ["f"] },
      { variables: [], words: ["g"] },
      { variables: [], words: ["h#i"] },
    ]);
  });

  test.each([
    ["echo 'open", /^syntax: /],
    ["npm run none", "no npm script: none"],
    ["npm run task none", "no task: none"],
    ["npm run bench -- --none", "no option: --none of npm run bench"],
    ["NONE=1 npm start", "no setting: NONE"],
    [".ci/run none", "no step of .ci/run: none"],
    ["inventory none", "no command: inventory none"],
    [
      "REDIS_URL=a inventory accounts create --none",
      "no option: --none of inventory accounts create --none",
    ],
    ["inventory accounts show", "an argument is missing: inventory accounts show"],
    ["docker compose stop none", "no service of compose.yaml: docker compose stop none"],
    ["kubectl scale deployment/none", "no resource: deployment/none"],
    [
      "kubectl wait pod --selector app.kubernetes.io/name=none",
      "no label: app.kubernetes.io/name=none",
    ],
    ["sudo systemctl stop inventory-none", "no unit: inventory-none"],
    ["sudo cp deploy/none.cfg /etc", "no file: deploy/none.cfg"],
    ["curl http://127.0.0.1:8080/v1/none", "no path: /v1/none"],
    [
      "curl http://127.0.0.1:8080/usage.v1.UsageService/None",
      "no method: usage.v1.UsageService/None",
    ],
  ])("%s", (script, fault) => {
    expect(faultsOf(script)).toEqual([
      typeof fault === "string" ? fault : expect.stringMatching(fault),
    ]);
  });
});
