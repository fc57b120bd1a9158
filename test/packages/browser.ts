/**
 * Bundles the packed npm client into a page of another origin, and uses it in Chromium through a proxy that loses one
 * response in five: `npm run test:packages:browser`.
 */
import { copyFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { build } from "esbuild";
import { AdminService, Plan } from "../../gen/admin/v1/admin_pb.ts";
import { ChangeReason, InventoryService, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { run } from "../clients/command.ts";
import { clientOf, firstAdminKey } from "../clients/fixture.ts";
import { startServer } from "../clients/live-server.ts";
import { startChromium } from "../support/chromium.ts";
import { startDroppingProxy } from "../support/dropping-proxy.ts";
import { listen } from "../support/listen.ts";
import { startRedisServer } from "../support/redis-server.ts";
import { packages } from "./packages.ts";

const root = join(import.meta.dirname, "../..");
const pet = 6_001n;
const adjustments = 20;

/** What the page returns. */
interface Results {
  readonly adjusted: readonly string[];
  readonly watched: readonly string[];
  readonly disconnects: number;
  readonly resets: number;
  readonly refused: unknown;
  readonly items: number;
  readonly account: string;
}

/** Installs the packed client into an empty project, and bundles a program that uses it. */
async function bundle(scratch: string): Promise<string> {
  const folders = { root, project: join(scratch, "project"), built: join(scratch, "built") };
  const typescript = packages.typescript;
  if (!typescript) throw new Error("there is no TypeScript package");
  await mkdir(folders.project);
  await mkdir(folders.built);
  for (const file of ["package.json", "tsconfig.json", "browser.ts"]) {
    await copyFile(join(import.meta.dirname, "typescript", file), join(folders.project, file));
  }
  for (const { command, cwd = root } of [
    ...typescript.install(folders),
    { command: ["tsc", "-p", "."], cwd: folders.project } as const,
  ]) {
    const { succeeded, output } = await run(command, cwd);
    if (!succeeded) throw new Error(`\`${command.join(" ")}\` failed:\n${output}`);
  }
  const outfile = join(scratch, "page.js");
  const entryPoints = [join(folders.project, "browser.js")];
  await build({ entryPoints, outfile, bundle: true, platform: "browser", format: "esm" });
  return await readFile(outfile, "utf8");
}

/** Serves the page and its script. */
function startPage(script: string) {
  return createServer(({ url }, response) => {
    const [type, body] =
      url === "/page.js"
        ? ["text/javascript", script]
        : ["text/html", '<!doctype html><script type="module" src="/page.js"></script>'];
    response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(body);
  });
}

async function runPage(script: string): Promise<void> {
  const page = startPage(script);
  const origin = await listen(page);
  const redis = await startRedisServer();
  const settings = { REDIS_URL: redis.url, WATCH_HEARTBEAT_MS: "1000", CORS_ORIGINS: origin };
  const server = await startServer(settings);
  const proxy = await startDroppingProxy(server.url);
  const browser = await startChromium();
  try {
    const adminKey = firstAdminKey(redis.url);
    const admin = clientOf(server.url, AdminService, adminKey);
    const items = [pet, pet + 1n, pet + 2n].map((petId) => ({
      ...{ petId, quantity: 100, status: PetStatus.AVAILABLE },
    }));
    await admin.importItems({ items });
    const { account } = await admin.createAccount({ name: "shop", plan: Plan.BUSINESS });
    const { secret } = await admin.createKey({ accountId: account?.accountId ?? "" });
    const inventory = clientOf(server.url, InventoryService, secret);

    const tab = await browser.newPage();
    await tab.exposeFunction("changeElsewhere", async () => {
      const { version } = await inventory.adjustInventory({ petId: pet, delta: 1, note: "last" });
      return String(version);
    });
    await tab.goto(origin);
    const task = {
      ...{ baseUrl: proxy.http1, apiKey: secret, petId: String(pet), adjustments },
    };
    const results: Results = await tab.evaluate(`exercise(${JSON.stringify(task)})`);

    const { changes } = await inventory.listItemChanges({ petId: pet, pageSize: 1_000 });
    const versions = changes
      .filter(({ reason }) => reason === ChangeReason.ADJUSTMENT)
      .map(({ version }) => String(version))
      .reverse();
    report(`the proxy lost ${proxy.lost} responses`, proxy.lost >= 4);
    same(`each of ${adjustments + 1} changes was made once`, results.adjusted, versions);
    same("the watch saw every change once, in order", results.watched, versions);
    report(
      `the watch resumed after ${results.disconnects} disconnects`,
      results.disconnects >= 1 && results.resets === 1,
      results,
    );
    same("an error has its reason and metadata", results.refused, {
      ...{ reason: "PET_NOT_FOUND", petId: String(2n ** 63n - 1n) },
    });
    report("pages have every item once", results.items >= items.length, results);
    same("usage is that of the account", results.account, "shop");
  } finally {
    await browser.close();
    proxy.stop();
    await server.stop();
    await redis.stop();
    page.close();
    page.closeAllConnections();
  }
}

function same(name: string, actual: unknown, expected: unknown): void {
  report(name, isDeepStrictEqual(actual, expected), { actual, expected });
}

function report(name: string, passed: boolean, details?: unknown): void {
  process.stdout.write(`${passed ? "ok  " : "FAIL"} ${name}\n`);
  if (passed) return;
  process.stdout.write(`${JSON.stringify(details)}\n`);
  process.exitCode = 1;
}

const scratch = await mkdtemp(join(tmpdir(), "inventory-browser-"));
try {
  await runPage(await bundle(scratch));
} finally {
  await rm(scratch, { recursive: true, force: true });
}
