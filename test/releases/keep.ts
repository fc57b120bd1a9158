/**
 * Keeps what later versions must work with: a backup of this version, its client for TypeScript, and its contract, from
 * which clients in all languages are generated. `npm run task keep-release` writes them into a folder that has the name of the
 * version. upgrade.slow.test.ts and test/system/clients/run.ts use all such folders. Run it again if a change before the
 * release of this version breaks them.
 */
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import manifest from "../../package.json" with { type: "json" };
import { startRedisServer } from "../system/harness/redis-server.ts";
import { startServer } from "../system/harness/server-process.ts";

const root = join(import.meta.dirname, "../..");
const folder = join(import.meta.dirname, manifest.version);
const tag = `v${manifest.version}`;
const released = execFileSync("git", ["tag", "--list", tag], { cwd: root, encoding: "utf8" });
if (released !== "") throw new Error(`${tag} is released: its copies stay as they are.`);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);

const packed = execFileSync(
  "npm",
  ["pack", "--silent", "--pack-destination", folder, join(root, "clients/typescript")],
  { cwd: root, encoding: "utf8" },
);
renameSync(join(folder, packed.trim().split("\n").at(-1) ?? ""), join(folder, "client.tgz"));

// With the details of errors, which clients read. buf takes no `--path` that is a whole module.
const protos = [
  ...globSync("proto/*", { cwd: root }).filter((path) => !path.includes(".")),
  "node_modules/google-gax/build/protos/google/rpc/error_details.proto",
];
const image = join(folder, "contract.binpb.gz");
execFileSync(
  "buf",
  [
    ...["build", "--exclude-source-info", "--output", image],
    ...protos.flatMap((path) => ["--path", path]),
  ],
  { cwd: root, stdio: "inherit" },
);
const openapi = readFileSync(join(root, "gen/openapi.json"));
writeFileSync(join(folder, "openapi.json.gz"), gzipSync(openapi, { level: 9 }));

const redis = await startRedisServer();
const server = await startServer({ REDIS_URL: redis.url });
try {
  writeFileSync(join(folder, "expected.json"), `${JSON.stringify(await fill(), undefined, 2)}\n`);
  inventory("backup", join(folder, "backup.ndjson.gz"));
} finally {
  await server.end();
  await redis.stop();
}

function inventory(...args: readonly string[]): string {
  return execFileSync(process.execPath, ["src/cli/start.js", ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, REDIS_URL: redis.url },
    encoding: "utf8",
    stdio: "pipe",
  });
}

/** Creates data of each kind. @returns what a client gets from a restored copy */
async function fill(): Promise<object> {
  const create = (...args: readonly string[]) => JSON.parse(inventory(...args, "--output=json"));
  const newAccount = () => create("accounts", "create", "--name=shop", "--plan=business").accountId;
  const accountId = newAccount();
  const newKey = (...options: readonly string[]) => create("keys", "create", accountId, ...options);
  const { key } = newKey();
  const revoked = newKey();
  inventory("keys", "revoke", revoked.keyId);
  const disabled = newAccount();
  const ofDisabled = create("keys", "create", disabled);
  inventory("accounts", "disable", disabled);
  const strict = newAccount();
  const ofStrict = create("keys", "create", strict);
  inventory("accounts", "write-policy", strict, "strict");
  const change = { method: "POST", path: "/inventory/1:adjust", body: { delta: -1 } };
  const list = { method: "GET", path: "/inventory" };
  const refused = [
    { ...list, key: revoked.key, status: 401 },
    { ...list, key: newKey("--expires=1s").key, status: 401 },
    { ...list, key: newKey("--allowed-address=192.0.2.0/24").key, status: 403 },
    { ...change, key: newKey("--scope=inventory:read").key, status: 403 },
    { ...list, key: ofDisabled.key, status: 403 },
    { ...change, key: ofStrict.key, status: 428 },
  ];
  for (const petId of ["1", "2", "9007199254740993"]) {
    const names = petId === "2" ? ["--name=Hedwig", "--sku=OWL-2"] : [];
    inventory("items", "create", petId, "--quantity=10", "--status=available", ...names);
  }
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as Readonly<Record<string, unknown>>;
  };
  await call("POST", "/inventory/1:adjust", { delta: -3, note: "broken" });
  const { orderId } = await call("POST", "/store/orders", { petId: 2, quantity: 4 });
  // It ends before any later version restores it, so its units are for sale again.
  await call("PUT", "/store/holds/cart", { items: [{ petId: 1, quantity: 2 }], ttlSeconds: 1 });
  const stock = { 1: 7, 2: 6, "9007199254740993": 10 };
  return { key, orderId: String(orderId), stock, name: { sku: "OWL-2", name: "Hedwig" }, refused };
}
