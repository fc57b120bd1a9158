import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { useRedis } from "../support/stores.ts";
import { startChild } from "../system/harness/child.ts";
import { freePort } from "../system/harness/redis-server.ts";
import { type Substitution, transcript, typePage } from "./console.ts";

const root = join(import.meta.dirname, "../..");

/** Pages whose opening is typed elsewhere, or cannot be typed here. */
const elsewhere: Readonly<Record<string, string>> = {
  "docs/caller/walkthrough.md": "walkthrough.slow.test.ts types the whole page",
  "docs/caller/console.md": "test/system/console uses the console in a browser",
  "docs/operator/configuration.md": "walkthrough.slow.test.ts types the whole page",
  "docs/operator/redis.md": "redis.slow.test.ts types the whole page",
  "docs/operator/runbook.md": "test/system/runbook types the commands of each entry",
  "docs/operator/deployment.md": "needs Docker",
  "docs/operator/scaling.md": "its commands run for minutes",
  "docs/contributor/performance.md": "its commands run for minutes",
  "docs/contributor/verification.md": "its commands run for minutes",
  "docs/contributor/releasing.md": "its commands publish a release",
  "packages/connect-gateway/README.md": "gateway.slow.test.ts types the whole page",
  "packages/connect-gateway/example/README.md": "../system/packages/gateway.ts types its session",
};

const pages = globSync("docs/{caller,operator,contributor}/*.md", { cwd: root }).sort();

test.each(pages.filter((page) => !page.endsWith("README.md")))(
  "%s begins with an example",
  (page) => {
    const text = readFileSync(join(root, page), "utf8");
    const [opening = ""] = text.split(/^## /m);
    expect(opening).toMatch(/^```(console|sh|text)$/m);
  },
);

test("each page that is typed elsewhere exists", () => {
  expect(Object.keys(elsewhere).filter((page) => !existsSync(join(root, page)))).toEqual([]);
});

/** How long a service may take to start on a busy machine, in milliseconds. */
const startTimeoutMs = 60_000;

/** Starts a service with sample data for one test. */
async function startService(): Promise<{ readonly key: string; readonly here: Substitution }> {
  const service = startChild([process.execPath, "src/start.js"], {
    cwd: root,
    env: { ...process.env, PORT: "0", ADMIN_ADDR: "127.0.0.1:0" },
  });
  onTestFinished(async () => void (await service.end()));
  const find = (what: string, pattern: RegExp) =>
    service.until(what, () => pattern.exec(service.output)?.[1], startTimeoutMs);
  const key = await find("the key", /INVENTORY_API_KEY=(inv_\w+)/);
  const here = [
    ["127.0.0.1:8080", await find("the address", /service on http:\/\/(\S+)/)],
    ["127.0.0.1:9464", await find("the admin port", /"url":"http:\/\/([^"]+)"/)],
  ] as const;
  return { key, here };
}

describe("with a service", () => {
  const redis = useRedis();
  beforeEach(async () => {
    await redis.client.flushdb();
  });
  const typed = pages.filter((page) => elsewhere[page] === undefined && hasSession(page));
  // README.md has a key, which its readers replace by that of their service. The other pages need it in the environment.
  const [, keyInReadme = ""] =
    /INVENTORY_API_KEY=(inv_\w+)/.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];

  test.each(["README.md", ...typed])(
    "%s shows the output of its commands",
    async (page) => {
      const { key, here } = await startService();
      const ports: Substitution = [
        ["8090", String(await freePort())],
        ["4318", String(await freePort())],
      ];
      const { expected, actual } = await typePage(
        page,
        {
          ...process.env,
          ...(page !== "README.md" && { INVENTORY_API_KEY: key }),
          ADMIN_ADDR: "",
          npm_config_loglevel: "error",
        },
        [[keyInReadme, key], ["redis://127.0.0.1:6379", redis.url], ...ports, ...here],
      );
      expect(expected.length).toBeGreaterThan(0);
      expect(transcript(actual)).toEqual(transcript(expected));
    },
    60_000,
  );
});

function hasSession(page: string): boolean {
  return readFileSync(join(root, page), "utf8").includes("\n```console\n");
}
