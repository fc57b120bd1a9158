/**
 * Packs the clients of all languages, installs each into an empty project without the network, and runs programs
 * against a server: through a proxy that loses responses, and with older and newer contracts.
 * To run only some languages: `npm run test:packages -- go java`.
 * With `--earlier client`, the clients are those of an earlier commit. With `--earlier server`, the server is.
 */
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { Code } from "@connectrpc/connect";
import { AdminService, Plan } from "../../gen/admin/v1/admin_pb.ts";
import { ChangeReason, InventoryService, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { StoreService } from "../../gen/store/v1/store_pb.ts";
import { run } from "../clients/command.ts";
import { clientOf, firstAdminKey } from "../clients/fixture.ts";
import { startServer } from "../clients/live-server.ts";
import { type DroppingProxy, startDroppingProxy } from "../support/dropping-proxy.ts";
import { startRedisServer } from "../support/redis-server.ts";
import { checkOut, earlierCommit } from "./earlier-version.ts";
import {
  limitedForMs,
  limitedPet,
  quarantinedPet,
  startOtherVersion,
  unknownStatus,
  type Version,
} from "./other-versions.ts";
import { type Folders, type Package, packages, type Step } from "./packages.ts";
import { exampleOf } from "./readme.ts";

const root = join(import.meta.dirname, "../..");

const { values, positionals: chosen } = parseArgs({
  allowPositionals: true,
  options: { earlier: { type: "string" } },
});
const { earlier } = values;
if (earlier !== undefined && earlier !== "client" && earlier !== "server") {
  throw new Error("--earlier must be client or server");
}

type Check = readonly [name: string, passed: boolean, details?: unknown];

/** The folders of the versions of the client and of the server. */
interface Versions {
  readonly client: string;
  readonly server: string;
}

/** What the exercise of a language prints. */
interface Results {
  readonly lossy: {
    readonly adjusted: readonly string[];
    readonly watched: readonly string[];
    readonly resets: number;
    readonly disconnects: number;
    readonly orders: readonly string[];
    readonly refused: { readonly reason: string; readonly petId: string };
    readonly items: number;
    /** The name of the account, or a code. Earlier clients have no method for it. */
    readonly usage?: string | number;
  };
  readonly older: OtherResults;
  readonly newer: OtherResults;
}

interface OtherResults {
  readonly quantity: number;
  readonly limited: number;
  readonly quarantined: string;
  readonly batch: number;
  readonly cancelled: number;
  readonly statuses: readonly number[];
  readonly events: readonly string[];
}

const firstQuantity = 100;
const petId = 6_001n;

/** Tests one language after the other: compilers that run at the same time would slow the service down. */
async function runAll(languages: readonly string[], versions: Versions): Promise<Check[]> {
  const all: Check[] = [];
  for (const language of languages) {
    const own = packages[language];
    if (!own) throw new Error(`unknown language ${language}: choose from ${Object.keys(packages)}`);
    const startedAt = performance.now();
    const checks = await testWithServer(language, own, versions);
    for (const [name, passed, details] of checks) {
      process.stdout.write(`${passed ? "ok  " : "FAIL"} ${own.name}: ${name}\n`);
      if (!passed) process.stdout.write(`${format(details)}\n`);
    }
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(`     ${own.name} took ${seconds} s\n`);
    all.push(...checks);
  }
  return all;
}

async function testWithServer(
  language: string,
  own: Package,
  { client, server: folder }: Versions,
): Promise<Check[]> {
  const redis = await startRedisServer();
  const settings = { REDIS_URL: redis.url, WATCH_HEARTBEAT_MS: "1000" };
  const server = await startServer(settings, join(folder, "src/main.ts"));
  const adminKey = firstAdminKey(redis.url, join(folder, "src/cli/start.js"));
  try {
    return await test(language, own, server.url, adminKey, client);
  } finally {
    await server.stop();
    await redis.stop();
  }
}

function format(details: unknown): string {
  return typeof details === "string" ? details : JSON.stringify(details, null, 1);
}

async function test(
  language: string,
  own: Package,
  url: string,
  adminKey: string,
  root: string,
): Promise<Check[]> {
  const scratch = await mkdtemp(join(tmpdir(), "inventory-packages-"));
  const folders = { root, project: join(scratch, "project"), built: join(scratch, "built") };
  await mkdir(folders.project);
  await mkdir(folders.built);
  try {
    const example = exampleOf(await readFile(join(root, "clients", language, "README.md"), "utf8"));
    await write(join(folders.project, own.readmeProgram), example.program);
    const rules = earlier === "client" ? undefined : own.rules;
    for (const [target, source] of Object.entries({ ...own.files, ...rules?.files })) {
      await mkdir(dirname(join(folders.project, target)), { recursive: true });
      const program = join(root, "test/packages", language, source);
      await copyFile(program, join(folders.project, target));
    }
    const faultOffline = await runSteps(own.install(folders));
    if (faultOffline) {
      // The first time on a machine, the caches lack the dependencies.
      const fault = (await runSteps(own.warmUp(folders))) ?? (await runSteps(own.install(folders)));
      if (fault) return [["the package is built and installed", false, fault]];
    }
    return [
      ["the package is built, and installed without the network", true],
      ...(rules ? [await retryRules(rules.run(folders), folders)] : []),
      ...(await exercise(own, folders, url, adminKey)),
      ...(await readme(own, folders, url, adminKey, example.output)),
    ];
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function retryRules(step: Step, { project }: Folders): Promise<Check> {
  const environment = { CASES: join(root, "clients/retry-cases.tsv") };
  const { succeeded, output } = await run(step.command, step.cwd ?? project, environment);
  return ["calls are repeated by the rules of all clients", succeeded, output];
}

/** Runs commands until one fails. Returns its output. */
async function runSteps(steps: readonly Step[]): Promise<string | undefined> {
  for (const { command, cwd = root, environment } of steps) {
    const { succeeded, output } = await run(command, cwd, environment);
    if (!succeeded) return `\`${command.join(" ")}\` failed:\n${output}`;
  }
  return undefined;
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Creates an account of its own, and sets the stock to known quantities. */
async function prepare(url: string, adminKey: string, petIds: readonly bigint[]): Promise<string> {
  const admin = clientOf(url, AdminService, adminKey);
  const items = petIds.map((petId) => ({
    petId,
    quantity: firstQuantity,
    status: PetStatus.AVAILABLE,
  }));
  if (items.length > 0) await admin.importItems({ items });
  const limits = { perMinute: 100_000n, perDay: 100_000n };
  const { account } = await admin.createAccount({ name: "shop", plan: Plan.ENTERPRISE, limits });
  const accountId = account?.accountId ?? "";
  return (await admin.createKey({ accountId })).secret;
}

async function exercise(
  own: Package,
  folders: Folders,
  url: string,
  adminKey: string,
): Promise<Check[]> {
  const crowd = [petId, petId + 1n, petId + 2n, petId + 3n, limitedPet, quarantinedPet];
  const key = await prepare(url, adminKey, crowd);
  const proxy = await startDroppingProxy(url);
  const older = await startOtherVersion("older", url);
  const newer = await startOtherVersion("newer", url);
  try {
    const step = own.run("exercise", folders);
    const { succeeded, output } = await run(step.command, step.cwd ?? folders.project, {
      ...step.environment,
      KEY: key,
      LOSSY: proxy[own.http],
      OLDER: older[own.http],
      NEWER: newer[own.http],
      PET: String(petId),
      LIMITED_PET: String(limitedPet),
      QUARANTINED_PET: String(quarantinedPet),
    });
    const line = output.split("\n").findLast((text) => text.startsWith("{"));
    if (!succeeded || line === undefined) return [["the exercise succeeds", false, output]];
    const results: Results = JSON.parse(line);
    return [
      ...(await lossyChecks(results.lossy, url, key, proxy)),
      ...otherChecks("older", results.older, older.calls),
      ...otherChecks("newer", results.newer, newer.calls),
    ];
  } finally {
    proxy.stop();
    older.stop();
    newer.stop();
  }
}

/** Compares what a client saw through the proxy with what the server has. */
async function lossyChecks(
  results: Results["lossy"],
  url: string,
  key: string,
  proxy: DroppingProxy,
): Promise<Check[]> {
  const inventory = clientOf(url, InventoryService, key);
  const store = clientOf(url, StoreService, key);
  /** Versions of the changes that the client's account made, oldest first. */
  const ownChanges = async (pet: bigint) => {
    const { changes } = await inventory.listItemChanges({ petId: pet, pageSize: 1_000 });
    return changes.filter(({ accountId }) => accountId !== "").reverse();
  };
  const changes = await ownChanges(petId);
  const versions = changes.map(({ version }) => String(version));
  const adjusted = changes.filter(({ reason }) => reason === ChangeReason.ADJUSTMENT);
  const { orders } = await store.listOrders({});
  const { items } = await inventory.listInventory({});
  const others = await Promise.all([ownChanges(petId + 1n), ownChanges(petId + 2n)]);
  return [
    [
      `the proxy lost ${proxy.lost} of ${proxy.responses} responses`,
      proxy.lost >= 6 && proxy.lost === Math.floor(proxy.responses / 5),
    ],
    equal(
      "each of 21 adjustments was made once",
      results.adjusted.toSorted(),
      adjusted.map(({ version }) => String(version)).toSorted(),
    ),
    equal(
      "each of 3 orders was placed once",
      results.orders.toSorted(),
      orders.map(({ orderId }) => String(orderId)).toSorted(),
    ),
    equal(
      "the batch and the update were made once",
      others.map(({ length }) => length),
      [1, 1],
    ),
    equal("the quantity is exact", changes.at(-1)?.quantityAfter, firstQuantity + 21 - 3),
    equal("24 changes were made", changes.length, 24),
    equal("the watch saw every change once, in order", results.watched, versions),
    [
      `the watch resumed after ${results.disconnects} disconnects`,
      results.disconnects >= 1 && proxy.cut >= 1 && results.resets === 1,
      results,
    ],
    equal("an error has its reason and metadata", results.refused, {
      reason: "PET_NOT_FOUND",
      petId: String(2n ** 63n - 1n),
    }),
    equal("pages have every item once", results.items, items.length),
    ...(earlier === "client" ? [] : [usageCheck(results.usage)]),
  ];
}

function usageCheck(usage: string | number | undefined): Check {
  return earlier === "server"
    ? equal("a method that the server does not have is unimplemented", usage, Code.Unimplemented)
    : equal("usage is that of the account", usage, "shop");
}

/** Checks what a client saw of a server with another version of the contract. */
function otherChecks(
  version: Version,
  results: OtherResults,
  calls: (method: string) => readonly number[],
): Check[] {
  const isOlder = version === "older";
  const of = isOlder ? "an older server" : "a newer server";
  const [, refusedAt = 0, retriedAt = 0] = calls("AdjustInventory");
  const [first, ...statuses] = results.statuses;
  return [
    equal(`${of} adjusts`, results.quantity, firstQuantity + (isOlder ? 1 : 2)),
    equal(
      `${of} is called again after RetryInfo`,
      results.limited,
      firstQuantity + (isOlder ? 1 : 2),
    ),
    [
      `${of} gets no retry before the delay of RetryInfo`,
      retriedAt - refusedAt >= limitedForMs,
      { waitedMs: retriedAt - refusedAt },
    ],
    equal(`${of} gets a write without idempotency key once`, calls("CancelOrder").length, 1),
    equal(`an error of a proxy at ${of} has its code`, results.cancelled, Code.Unavailable),
    equal(`a method that only newer servers have`, results.batch, isOlder ? Code.Unimplemented : 0),
    equal(`a reason of ${of}`, results.quarantined, isOlder ? "" : "PET_QUARANTINED"),
    [
      `a status of ${of}`,
      isOlder
        ? results.statuses.every((status) => status === 0)
        : first === unknownStatus && statuses.every((status) => status >= 1 && status <= 3),
      results.statuses,
    ],
    equal(`a watch of ${of}`, results.events, ["snapshot", "ready"]),
  ];
}

async function readme(
  own: Package,
  folders: Folders,
  url: string,
  adminKey: string,
  expected: string,
): Promise<Check[]> {
  const key = await prepare(url, adminKey, []);
  const admin = clientOf(url, AdminService, adminKey);
  const { items } = await clientOf(url, InventoryService, key).listInventory({});
  for (const { petId } of items) await admin.removeItem({ petId });
  const stock = [12, 8].map((quantity, i) => ({
    petId: BigInt(i + 1),
    quantity,
    status: PetStatus.AVAILABLE,
  }));
  await admin.importItems({ items: [...stock, { ...stock[0], petId: 3n }] });
  const step = own.run("readme", folders);
  const { output } = await run(step.command, step.cwd ?? folders.project, {
    ...step.environment,
    INVENTORY_URL: url,
    INVENTORY_KEY: key,
  });
  return [equal("the program of the README prints what the README says", output, expected)];
}

function equal(name: string, actual: unknown, expected: unknown): Check {
  return [name, isDeepStrictEqual(actual, expected), { actual, expected }];
}

const earlierFolder = earlier && checkOut(earlierCommit, earlier);
const versions: Versions = {
  client: earlier === "client" && earlierFolder ? earlierFolder : root,
  server: earlier === "server" && earlierFolder ? earlierFolder : root,
};
const checks = await runAll(chosen.length > 0 ? chosen : Object.keys(packages), versions).finally(
  () => earlierFolder && rm(earlierFolder, { recursive: true, force: true }),
);
const failed = checks.filter(([, passed]) => !passed).length;
process.stdout.write(`${checks.length - failed} passed, ${failed} failed\n`);
process.exit(failed > 0 ? 1 : 0);
