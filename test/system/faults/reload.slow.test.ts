import { X509Certificate } from "node:crypto";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ChangeReason, InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import { sampleItems } from "../../../src/stores/memory/sample.ts";
import { unknownOrigin } from "../../../src/stores/stock-change.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { createCertificate } from "../../support/certificate.ts";
import { useDirectory } from "../../support/directory.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { startWatch, type Watch } from "../../support/watch.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

const servers = useServers();
const redis = useRedis();
const directory = useDirectory();
const fileOf = (name: string) => join(directory, name);
const replaced = "certificate reloaded: new connections use it";
const notValid = "settings are not valid: nothing was reloaded";

beforeAll(() => {
  createCertificate(fileOf("old"), "IP:127.0.0.1", undefined, 1);
  createCertificate(fileOf("new"), "IP:127.0.0.1", undefined, 30);
});
beforeEach(() => {
  use("old");
  writeFileSync(fileOf("settings.env"), "LOG_LEVEL=info\n");
});

/** Puts a certificate into the files of the service. */
function use(name: string): void {
  copyFileSync(fileOf(`${name}.crt`), fileOf("server.crt"));
  copyFileSync(fileOf(`${name}.key`), fileOf("server.key"));
}

const tlsSettings = {
  CONFIG_FILE: fileOf("settings.env"),
  LOG_LEVEL: "",
  TLS_CERT: fileOf("server.crt"),
  TLS_KEY: fileOf("server.key"),
};

function certificate(name: string): X509Certificate {
  return new X509Certificate(readFileSync(fileOf(`${name}.crt`)));
}

const fingerprint = (name: string) => certificate(name).fingerprint256;

function adminUrlOf({ stdout }: ServerProcess): string {
  return /"url":"([^"]+)","msg":"admin port"/.exec(stdout)?.[1] ?? "";
}

/** Opens a connection. @returns the fingerprint of the certificate that the server shows */
function shownBy({ port }: ServerProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

/** A watch and changes on one HTTP/2 connection, which is made before the files change. */
function openConnection({ url }: ServerProcess, secret: string) {
  const transport = createGrpcTransport({
    baseUrl: url,
    nodeOptions: { rejectUnauthorized: false },
  });
  const client = createClient(InventoryService, transport);
  const headers = { authorization: `Bearer ${secret}` };
  const watch: Watch = startWatch(
    {
      name: "gRPC over TLS",
      messages: ({ token = "" }, signal) =>
        client.watchInventory({ resumeToken: token }, { signal, headers }),
    },
    { url, secret },
  );
  const change = async (petId: bigint, quantity: number) => {
    await client.updateInventory({ petId, update: { quantity } }, { headers });
  };
  return { watch, change };
}

function secretOf({ stdout }: ServerProcess): string {
  return /inv_[0-9a-z]+/.exec(stdout)?.[0] ?? "";
}

describe("SIGHUP", () => {
  test("replaces the certificate for new connections while a watch goes on", async () => {
    const server = await servers.start(tlsSettings);
    const { watch, change } = openConnection(server, secretOf(server));
    await watch.reached(5n);
    expect(await shownBy(server)).toBe(fingerprint("old"));

    use("new");
    server.kill("SIGHUP");
    await server.printed(replaced);
    expect(await shownBy(server)).toBe(fingerprint("new"));
    await change(1n, 41);
    await watch.reached(6n);

    // The key does not belong to the certificate.
    copyFileSync(fileOf("old.key"), fileOf("server.key"));
    server.kill("SIGHUP");
    await server.printed(notValid);
    expect(await shownBy(server)).toBe(fingerprint("new"));

    rmSync(fileOf("server.crt"));
    server.kill("SIGHUP");
    await server.printed(notValid, 2);
    expect(server.stdout).toContain(`TLS_CERT: cannot read ${fileOf("server.crt")}: there is no`);
    expect(await shownBy(server)).toBe(fingerprint("new"));

    use("old");
    server.kill("SIGHUP");
    await server.printed(replaced, 2);
    expect(await shownBy(server)).toBe(fingerprint("old"));
    await change(1n, 42);
    await watch.reached(7n);
    expect(watch.end).toBeUndefined();
    expect(server.stdout.split(notValid)).toHaveLength(3);
    expect(server.stderr).toBe("");
  });

  test("sets the metric of the end of the certificate", async () => {
    const server = await servers.start({
      ...tlsSettings,
      REDIS_URL: redis.url,
      ADMIN_ADDR: "127.0.0.1:0",
    });
    const shownEnd = async () => {
      const metrics = await (await fetch(`${adminUrlOf(server)}/metrics`)).text();
      const series = /^inventory_tls_certificate_not_after_seconds\{certificate="server"\} (\S+)/m;
      return Number(series.exec(metrics)?.[1]);
    };
    const endOf = (name: string) => certificate(name).validToDate.getTime() / 1_000;
    expect(await shownEnd()).toBe(endOf("old"));
    use("new");
    server.kill("SIGHUP");
    await server.printed(replaced);
    expect(await shownEnd()).toBe(endOf("new"));
  });

  test("sets LOG_LEVEL from CONFIG_FILE, and names settings that need a restart", async () => {
    writeFileSync(fileOf("settings.env"), "LOG_LEVEL=error\n");
    const server = await servers.start(tlsSettings);
    const { watch } = openConnection(server, secretOf(server));
    await watch.reached(5n);

    use("new");
    server.kill("SIGHUP");
    await until("the certificate is replaced", async () => {
      return (await shownBy(server)) === fingerprint("new");
    });
    expect(server.stdout).not.toContain(replaced);

    writeFileSync(fileOf("settings.env"), "LOG_LEVEL=info\nMAX_STREAMS=5\nCORS_ORIGINS=*\n");
    server.kill("SIGHUP");
    await server.printed(replaced);
    expect(server.stdout).toContain(
      '"settings":["CORS_ORIGINS","MAX_STREAMS"],"msg":"settings have changed: restart to apply them"',
    );

    writeFileSync(fileOf("settings.env"), "LOG_LEVEL=loud\nMAX_STREAMS=x\n");
    server.kill("SIGHUP");
    await server.printed(notValid);
    expect(server.stdout).toContain(
      `"faults":["MAX_STREAMS in ${fileOf("settings.env")} is \\"x\\": it must be an integer from 1 to 1000000","LOG_LEVEL in`,
    );
    expect(watch.end).toBeUndefined();
  });

  test("reaches all workers, and the parent alone reports invalid files", async () => {
    const stores = openRedisStores(redis.url);
    await stores.ready(5_000);
    const { secret } = await addKey(stores, await addAccount(stores, { plan: "business" }));
    await stores.catalog.put(sampleItems, { ...unknownOrigin, reason: ChangeReason.IMPORT });
    await stores.close();
    const server = await servers.start({ ...tlsSettings, REDIS_URL: redis.url, WORKERS: "2" });
    await server.printed('"msg":"listening"', 2, 15_000);
    const { watch, change } = openConnection(server, secret);
    await watch.reached(5n);

    use("new");
    server.kill("SIGHUP");
    await server.printed(replaced, 2, 15_000);
    for (let connection = 0; connection < 4; connection++) {
      expect(await shownBy(server)).toBe(fingerprint("new"));
    }
    writeFileSync(fileOf("server.crt"), "");
    server.kill("SIGHUP");
    await server.printed(notValid);
    await change(1n, 42);
    await watch.reached(6n);
    expect(server.stdout.split(notValid)).toHaveLength(2);
    expect(watch.end).toBeUndefined();
  });

  test("does not end workers that are starting, and reaches them later", async () => {
    const server = servers.run({ ...tlsSettings, REDIS_URL: redis.url, WORKERS: "2", PORT: "0" });
    const children = `/proc/${server.pid}/task/${server.pid}/children`;
    await until("the first worker is forked", () => readFileSync(children, "utf8") !== "", 15_000);
    server.kill("SIGHUP");
    await server.printed('"msg":"listening"', 2, 15_000);
    await server.printed(replaced);
    expect(server.exit).toBeUndefined();
    expect(server.stdout).not.toContain('"exitCode"');
  });

  test("is what changes /config, not the change of a file", async () => {
    const server = await servers.start({
      CONFIG_FILE: fileOf("settings.env"),
      LOG_LEVEL: "",
      REDIS_URL: redis.url,
      ADMIN_ADDR: "127.0.0.1:0",
    });
    const adminUrl = adminUrlOf(server);
    const shown = async () => {
      const response = await fetch(`${adminUrl}/config`);
      const settings = (await response.json()) as { name: string; value: string }[];
      const textOf = (name: string) => settings.find((each) => each.name === name)?.value;
      return { level: textOf("LOG_LEVEL"), streams: textOf("MAX_STREAMS") };
    };
    writeFileSync(fileOf("settings.env"), "LOG_LEVEL=debug\nMAX_STREAMS=5\n");
    expect(await shown()).toEqual({ level: "info", streams: "10000" });
    server.kill("SIGHUP");
    await server.printed("restart to apply");
    expect(await shown()).toEqual({ level: "debug", streams: "10000" });
    rmSync(fileOf("settings.env"));
    expect(await shown()).toEqual({ level: "debug", streams: "10000" });
  });

  test("does not end a service whose files are being replaced", async () => {
    const server = await servers.start(tlsSettings);
    for (let time = 0; time < 60; time++) {
      use(time % 2 === 0 ? "new" : "old");
      server.kill("SIGHUP");
      for (let again = 0; again < 20; again++) use(again % 2 === 0 ? "new" : "old");
    }
    use("new");
    await until("the last certificate is used", async () => {
      server.kill("SIGHUP");
      return (await shownBy(server)) === fingerprint("new");
    });
    expect(server.stdout).not.toContain("uncaught");
  });
});
