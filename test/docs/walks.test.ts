import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import type { Session } from "node:inspector/promises";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, test } from "vitest";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { newAuthorization } from "../support/accounts.ts";
import { useDirectory } from "../support/directory.ts";
import { readyStores, useRedis } from "../support/stores.ts";
import { type Inspector, inspect } from "../system/harness/inspector.ts";
import { useServers } from "../system/harness/server-process.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/contributor/architecture.md"), "utf8");
const directory = useDirectory();
const redis = useRedis();
const servers = useServers();

/** The most files of the tables, by the headings of the walks. */
const most = {
  "List the stock over HTTP/1.1": 18,
  "Update an item over gRPC": 14,
  "Import a file by the command line": 12,
};

/** Returns what the page says about a request: how many files run and how many the table has, and these files. */
function walkOf(heading: string) {
  const [, section = ""] = page.split(`\n${heading}\n`);
  const [text = ""] = section.split("\n#");
  const [, run] = /up to (\d+) TypeScript files/.exec(text) ?? [];
  const [, named] = /The table has the (\d+) files/.exec(text) ?? [];
  const files = text.matchAll(/`((?:src|packages)\/\S+\.(?:ts|lua))`/g);
  return {
    run: Number(run),
    named: Number(named),
    files: new Set(files.map(([, file = ""]) => file)),
  };
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
}

function filesRun({ result }: Coverage): Set<string> {
  const run = result
    .filter(({ url }) => /^file:(?!.*\/node_modules\/).*\/src\/.*\.ts$/.test(url))
    // The function that begins at 0 is the module, which runs when it is loaded.
    .filter(({ functions }) =>
      functions.some(({ ranges: [whole] }) => whole && whole.startOffset > 0 && whole.count > 0),
    );
  return new Set(run.map(({ url }) => relative(root, fileURLToPath(url))));
}

/** Runs in the server. */
async function startCoverage() {
  const session: Session = new (process.getBuiltinModule("node:inspector/promises").Session)();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true });
  Object.assign(globalThis, { takeCoverage: () => session.post("Profiler.takePreciseCoverage") });
}

/** Returns the files that run in each of some requests. Timers run in some of them. */
async function filesOf(inspector: Inspector, send: () => Promise<unknown>): Promise<Set<string>> {
  const seen: Set<string>[] = [];
  // The first ones fill caches.
  for (let request = 0; request < 10; request++) {
    await inspector.run("void takeCoverage()");
    await send();
    seen.push(filesRun(await inspector.run<Coverage>("takeCoverage()")));
  }
  return seen.slice(5).reduce((all, files) => all.intersection(files));
}

/** Checks a number of the page, which is not much higher than the real one. */
function expectBound(real: number, bound: number): void {
  const advice = "correct the numbers in docs/contributor/architecture.md";
  expect(real, advice).toBeLessThanOrEqual(bound);
  expect(real, advice).toBeGreaterThan(bound * 0.8);
}

test("the walks name files that their requests pass, and say how many there are", async () => {
  const stores = await readyStores(redis.url);
  await stores.catalog.create({ petId: 2n, quantity: 1, status: 1 });
  const authorization = await newAuthorization(stores);
  const server = await servers.start({ REDIS_URL: redis.url }, "--inspect=0");
  const inspector = await inspect(server.stderr);
  await inspector.run(`(${startCoverage})()`);

  const list = (headers: Record<string, string>) => async () => {
    const response = await new Promise<IncomingMessage>((resolve) =>
      get(`${server.url}/v1/inventory`, { headers, agent: false }, resolve),
    );
    await text(response);
  };
  const update = () =>
    createClient(InventoryService, createGrpcTransport({ baseUrl: server.url })).updateInventory(
      { petId: 2n, update: { quantity: 3 } },
      { headers: { authorization } },
    );
  const rows = join(directory, "pets.csv");
  writeFileSync(rows, "petId,quantity,status\n1,5,available\n");
  const env = { PATH: process.env.PATH, REDIS_URL: redis.url, NODE_V8_COVERAGE: directory };
  execFileSync(process.execPath, [join(root, "src/cli/start.js"), "items", "import", rows], {
    env,
  });
  const [report = ""] = readdirSync(directory).filter((name) => name.startsWith("coverage-"));

  const coverage = JSON.parse(readFileSync(join(directory, report), "utf8"));
  const walks: Record<keyof typeof most, Set<string>> = {
    "List the stock over HTTP/1.1": await filesOf(inspector, list({ authorization })),
    "Update an item over gRPC": await filesOf(inspector, update),
    "Import a file by the command line": filesRun(coverage),
  };
  const refused = await filesOf(inspector, list({}));
  inspector.close();

  for (const [heading, bound] of Object.entries(most)) {
    const { run, named, files } = walkOf(`### ${heading}`);
    const passed = walks[heading as keyof typeof most];
    const others = [...files].filter((file) => file.endsWith(".ts") && !passed.has(file));
    expect(others, `files that do not run: ${heading}`).toEqual([]);
    expect(files.size, `files of the table: ${heading}`).toBe(named);
    expect(named).toBeLessThanOrEqual(bound);
    expectBound(passed.size, run);
  }
  expectBound(refused.size, walkOf("## Refusals").run);
}, 60_000);
