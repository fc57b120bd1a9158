import { writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { present } from "../../../src/common/present.ts";
import { readCheckedConfig } from "../../../src/config/config.ts";
import { createRedisStores } from "../../../src/stores/redis/stores.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { createCertificate } from "../../support/certificate.ts";
import { useDirectory } from "../../support/directory.ts";
import { listen } from "../../support/listen.ts";
import { freePort, type RedisServer, startRedisServer } from "../harness/redis-server.ts";
import { useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { useCluster, useSentinels } from "./redis-groups.ts";

const password = "correct-horse";
const cluster = useCluster({ primaries: 1, replicas: 0, password });
const sentinels = useSentinels({ replicas: 1, password });
const servers = useServers();
const directory = useDirectory();
const fileOf = (name: string) => join(directory, name);

/** Servers that are used wrongly, and the port of none. */
interface Others {
  readonly plain: RedisServer;
  readonly locked: RedisServer;
  readonly gaps: RedisServer;
  readonly tls: RedisServer;
  readonly tlsPort: number;
  readonly strictPort: number;
  readonly nowhere: number;
  /** Servers that refuse all commands, or some, by the port. */
  readonly refusing: Readonly<
    Record<"guarded" | "http" | "noInfo" | "noHset" | "full" | "alone" | "unsaved", number>
  >;
}
const own: { others?: Others } = {};

function others(): Others {
  if (!own.others) throw new Error("Use the servers only while a test runs.");
  return own.others;
}

beforeAll(async () => {
  createCertificate(fileOf("redis"), "IP:127.0.0.1");
  createCertificate(fileOf("other"), "DNS:other.example");
  writeFileSync(fileOf("no.pem"), "This is not a certificate.\n");
  writeFileSync(fileOf("empty"), "\n");
  writeFileSync(fileOf("right"), `${password}\n`);
  writeFileSync(fileOf("wrong"), "tr0ub4dor\n");
  const [tlsPort, strictPort] = [await freePort(), await freePort()];
  const files = ["--tls-cert-file", fileOf("redis.crt"), "--tls-key-file", fileOf("redis.key")];
  const ca = ["--tls-ca-cert-file", fileOf("redis.crt")];
  const open = ["--tls-auth-clients", "no"];
  const tls = (port: number, ...more: readonly string[]) =>
    startRedisServer("--tls-port", String(port), ...files, ...ca, ...more);
  const gaps = await startRedisServer("--cluster-enabled", "yes");
  const client = new Redis(gaps.url);
  await client.call("CLUSTER", "ADDSLOTSRANGE", "0", "16000");
  client.disconnect();
  own.others = {
    plain: await startRedisServer(),
    locked: await startRedisServer("--requirepass", password),
    gaps,
    tls: await tls(tlsPort, ...open),
    tlsPort,
    strictPort,
    nowhere: await freePort(),
    refusing: await startRefusing(),
  };
  strict = await tls(strictPort);
});
let strict: RedisServer | undefined;
afterAll(async () => {
  const { plain, locked, gaps, tls } = others();
  await Promise.all([plain, locked, gaps, tls, strict].map((server) => server?.stop()));
  await refusers.disposeAsync();
});

/** Stops the servers that refuse commands. */
const refusers = new AsyncDisposableStack();

async function startRefusing(): Promise<Others["refusing"]> {
  const listening = async (server: ReturnType<typeof createServer>) => {
    refusers.defer(() => void server.close());
    return Number(new URL(await listen(server)).port);
  };
  const start = async (...options: readonly string[]) => {
    const server = await startRedisServer(...options);
    refusers.defer(server.stop);
    return server;
  };
  const unsaved = await start("--enable-protected-configs", "yes");
  const client = new Redis(unsaved.url);
  await client.config("SET", "dir", "/proc");
  await client.config("SET", "save", "1 1");
  await client.set("key", "value");
  await client.bgsave().catch(() => {});
  await until("Redis has failed to save", async () =>
    /rdb_last_bgsave_status:err/.test(await client.info("persistence")),
  );
  client.disconnect();
  return {
    // Redis is in protected mode only for other machines. This is what it does then.
    guarded: await listening(
      createServer((socket) => {
        socket.on("error", () => {});
        socket.end(
          "-DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the default user.\r\n",
        );
      }),
    ),
    http: await listening(createHttpServer((_, response) => void response.end())),
    noInfo: (await start("--rename-command", "INFO", "")).port,
    noHset: (await start("--rename-command", "HSET", "")).port,
    full: (await start("--maxmemory", "1")).port,
    alone: (await start("--min-replicas-to-write", "1")).port,
    unsaved: unsaved.port,
  };
}

type Environment = Readonly<Record<string, string>>;

/** How long a start may take until it fails, in ms. A busy machine takes longer to load the program. */
const [failsWithinMs, processMs] = [6_000, 15_000];

/** Runs a server that cannot start. @returns the line of its standard error */
async function refusal(environment: Environment): Promise<string> {
  const begun = performance.now();
  const server = servers.run({ PORT: "0", ...environment });
  const { code, at } = await server.exited();
  expect(code).toBe(1);
  expect(server.stdout).toBe("");
  expect(at - begun).toBeLessThan(processMs);
  return server.stderr;
}

/** Connects to Redis in this process, as a server does that cannot start. @returns the line that the server prints */
async function fault(environment: Environment): Promise<string> {
  const begun = performance.now();
  const stores = (): Stores => {
    const { redis } = readCheckedConfig({ PORT: "0", ...environment });
    if (!redis) throw new Error("the settings have no Redis");
    return createRedisStores(redis);
  };
  let opened: Stores | undefined;
  try {
    opened = stores();
    await opened.ready(2_000);
  } catch (error) {
    expect(performance.now() - begun).toBeLessThan(failsWithinMs);
    const { cause = error } = error as Error;
    return `${(cause as Error).message}\n`;
  } finally {
    await opened?.close();
  }
  throw new Error("the stores are ready");
}

/** Expects one line, without a password. */
function expectLine(text: string, line: RegExp): void {
  expect(text).toMatch(line);
  expect(text).toMatch(/^[^\n]+\n$/);
  expect(text).not.toContain(password);
  expect(text).not.toContain("tr0ub4dor");
}

/** The settings of each cause, and what the line must say: the setting first, then what to do. */
type Cases = Readonly<Record<string, readonly [environment: () => Environment, line: RegExp]>>;

const single = (port: number): Environment => ({ REDIS_URL: `redis://127.0.0.1:${port}` });
const right = () => ({ REDIS_PASSWORD_FILE: fileOf("right") });
const wrong = () => ({ REDIS_PASSWORD_FILE: fileOf("wrong") });
const locked = () => single(others().locked.port);
const refusing = (name: keyof Others["refusing"]) => () => single(others().refusing[name]);
const clusterAt = (port: number) => ({ ...single(port), REDIS_MODE: "cluster" });
const withLogin = (url: string) => url.replaceAll("://", `://:${password}@`);

function sentinelsWith(more: Environment): Environment {
  const { environment } = sentinels.group;
  return { ...environment, REDIS_URL: withLogin(environment.REDIS_URL ?? ""), ...right(), ...more };
}

const modes: Cases = {
  "a cluster": [
    () => ({ REDIS_URL: cluster.cluster.urls[0] ?? "", ...right() }),
    /^REDIS_MODE is "single", .*set REDIS_MODE to cluster/,
  ],
  "a sentinel": [
    () => ({ REDIS_URL: sentinels.group.urls[0] ?? "", ...right() }),
    /^REDIS_MODE is "single", .*set REDIS_MODE to sentinel/,
  ],
  "one server as a cluster": [
    () => clusterAt(others().plain.port),
    /^REDIS_MODE is "cluster", .*set REDIS_MODE to/,
  ],
  "one server as a sentinel": [
    () => sentinelsWith({ ...single(others().plain.port), REDIS_PASSWORD_FILE: "" }),
    /^REDIS_MODE is "sentinel", .*REDIS_URL/,
  ],
  "a sentinel as a cluster": [
    () => ({ ...right(), REDIS_MODE: "cluster", REDIS_URL: sentinels.group.urls.join() }),
    /^REDIS_(?:MODE|URL).*(?:set|correct)/,
  ],
  "a cluster as a sentinel": [
    () => sentinelsWith({ REDIS_URL: withLogin(cluster.cluster.urls.join()) }),
    /^REDIS_MODE is "sentinel", .*REDIS_URL/,
  ],
};

const unreachable: Cases = {
  "one server": [() => single(others().nowhere), /^REDIS_URL: .*:\d+: .*REFUSED.*Start Redis/],
  "all nodes of a cluster": [
    () => clusterAt(others().nowhere),
    /^REDIS_URL: .*REFUSED.*Start Redis/,
  ],
  "all sentinels": [
    () => sentinelsWith(single(others().nowhere)),
    /^REDIS_URL: .*REFUSED.*Start Redis/,
  ],
  "a host name that does not exist": [
    () => ({ REDIS_URL: "redis://nowhere.invalid" }),
    /^REDIS_URL: .*nowhere\.invalid/,
  ],
};

const incomplete: Cases = {
  "a cluster without some slots": [
    () => clusterAt(others().gaps.port),
    /^REDIS_URL: .*383 of 16384 slots have no primary \(16001-16383\).*assign/,
  ],
  "a server without the database": [
    () => ({ REDIS_URL: `${others().plain.url}/99` }),
    /^REDIS_URL: .*no such database \(SELECT 99: .*Correct the number/,
  ],
  "sentinels that know no such primary": [
    () => sentinelsWith({ REDIS_SENTINEL_NAME: "stokc" }),
    /^REDIS_SENTINEL_NAME is "stokc": .*Set it to/,
  ],
};

const refusals: Cases = {
  "protected mode": [refusing("guarded"), /^REDIS_URL: .*protected mode.*Set a password/],
  "a server for HTTP": [
    refusing("http"),
    /^REDIS_URL: .*does not speak the protocol of Redis\. Correct the host and the port/,
  ],
  "INFO renamed": [
    refusing("noInfo"),
    /^REDIS_URL: .*does not know .*\(INFO\).*remove rename-command/,
  ],
  "a command of scripts renamed": [
    refusing("noHset"),
    /^REDIS_URL: .*does not know .*\(HSET\).*remove rename-command/,
  ],
  "no memory left": [refusing("full"), /^REDIS_URL: .*maxmemory \(OOM\)\. Raise/],
  "too few replicas": [refusing("alone"), /^REDIS_URL: .*\(NOREPLICAS\)\. Start its replicas/],
  "a disk that cannot be written": [refusing("unsaved"), /^REDIS_URL: .*\(MISCONF\)\..*make room/],
};

const passwords: Cases = {
  "no password for one server": [locked, /^REDIS_PASSWORD_FILE is not set.*requires/],
  "a wrong password for one server": [
    () => ({ ...locked(), ...wrong() }),
    /^REDIS_PASSWORD_FILE: .*refuses/,
  ],
  "a wrong password in the URL": [
    () => ({ REDIS_URL: `redis://:tr0ub4dor@127.0.0.1:${others().locked.port}` }),
    /^REDIS_URL: .*refuses/,
  ],
  "an unknown user": [
    () => ({ ...locked(), ...right(), REDIS_USERNAME: "nobody" }),
    /^REDIS_PASSWORD_FILE: .*refuses the username/,
  ],
  "a wrong password for a cluster": [
    () => ({ ...cluster.cluster.environment, ...wrong() }),
    /^REDIS_PASSWORD_FILE: .*refuses/,
  ],
  "no password for a cluster": [
    () => cluster.cluster.environment,
    /^REDIS_PASSWORD_FILE is not set.*requires/,
  ],
  "a wrong password for the primary of sentinels": [
    () => sentinelsWith(wrong()),
    /^REDIS_PASSWORD_FILE: .*refuses/,
  ],
  "no password for the sentinels": [
    () => ({ ...sentinels.group.environment, ...right() }),
    /^REDIS_URL.*password/,
  ],
  "an empty password file": [
    () => ({ ...locked(), REDIS_PASSWORD_FILE: fileOf("empty") }),
    /^REDIS_PASSWORD_FILE is empty.*requires/,
  ],
  "a password file that does not exist": [
    () => ({ ...locked(), REDIS_PASSWORD_FILE: fileOf("missing") }),
    /^REDIS_PASSWORD_FILE: cannot read .*missing/,
  ],
};

const overTls = (more: Environment = {}, port = others().tlsPort): Environment => ({
  REDIS_URL: `rediss://127.0.0.1:${port}`,
  ...more,
});
const trusted = () => ({ REDIS_TLS_CA: fileOf("redis.crt") });
/** Settings for a server that requires a certificate. */
const strictly = (certificate?: string, key = certificate): Environment => ({
  ...overTls(trusted(), others().strictPort),
  ...(certificate && { REDIS_TLS_CERT: fileOf(`${certificate}.crt`) }),
  ...(key && { REDIS_TLS_KEY: fileOf(`${key}.key`) }),
});

const certificates: Cases = {
  "an authority that the system does not know": [
    () => overTls(),
    /^REDIS_TLS_CA: .*not trusted.*Set it/,
  ],
  "another authority": [
    () => overTls({ REDIS_TLS_CA: fileOf("other.crt") }),
    /^REDIS_TLS_CA: .*not trusted.*Set it/,
  ],
  "another name": [
    () => overTls({ ...trusted(), REDIS_TLS_SERVERNAME: "redis.example" }),
    /^REDIS_TLS_SERVERNAME: .*another name.*Set it/,
  ],
  "an authority that is not PEM": [
    () => overTls({ REDIS_TLS_CA: fileOf("no.pem") }),
    /^REDIS_TLS_.*(?:PEM|not trusted)/,
  ],
  "a missing file": [
    () => overTls({ REDIS_TLS_CA: fileOf("missing.pem") }),
    /^REDIS_TLS_CA: cannot read .*missing\.pem/,
  ],
  "no certificate for a server that requires one": [() => strictly(), /REDIS_TLS_CERT/],
  "a certificate that the server does not trust": [() => strictly("other"), /REDIS_TLS_CERT/],
  "a key of another certificate": [
    () => strictly("redis", "other"),
    /^REDIS_TLS_CERT, REDIS_TLS_KEY .*Correct/,
  ],
  "TLS for a server without it": [
    () => overTls({}, others().plain.port),
    /^REDIS_URL: .*redis:\/\//,
  ],
  "a server with TLS, without it": [() => single(others().tlsPort), /^REDIS_URL: .*rediss:\/\//],
};

const groups: Readonly<Record<string, Cases>> = {
  "a wrong mode": modes,
  unreachable,
  incomplete,
  "a server that refuses commands": refusals,
  "a refused password": passwords,
  "an unfitting certificate": certificates,
};

describe.each(Object.entries(groups))(
  "one line names the setting and says what to do: %s",
  (_, cases) => {
    test.concurrent.each(Object.entries(cases))("%s", async (_cause, [environment, line]) => {
      expectLine(await fault(environment()), line);
    });
  },
);

// The first case of each group, because a process takes long to start.
test.concurrent.each(Object.entries(groups))(
  "the server prints that line and exits with code 1: %s",
  async (_, cases) => {
    const [environment, line] = present(Object.values(cases)[0], "a case");
    expectLine(await refusal(environment()), line);
  },
);
