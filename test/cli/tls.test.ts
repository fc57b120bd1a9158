import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { addAccount, addKey } from "../support/accounts.ts";
import { createCertificate } from "../support/certificate.ts";
import { useDirectory } from "../support/directory.ts";
import { useServer } from "../support/server.ts";
import { storeKinds } from "../support/stores.ts";
import { runHere, runThere } from "./command-line.ts";

const directory = useDirectory();
const fileOf = (name: string) => join(directory, name);

beforeAll(() => {
  createCertificate(fileOf("authority"), "DNS:authority");
  createCertificate(fileOf("server"), "IP:127.0.0.1", fileOf("authority"));
  createCertificate(fileOf("other-host"), "DNS:inventory.example", fileOf("authority"));
  createExpired("expired");
  writeFileSync(fileOf("empty.crt"), "no certificate\n");
});

/** Creates a certificate that expired yesterday and signs itself. */
function createExpired(name: string): void {
  const [key, request, certificate] = ["key", "csr", "crt"].map((each) =>
    fileOf(`${name}.${each}`),
  );
  const openssl = (...args: (string | undefined)[]) =>
    execFileSync("openssl", args.map(String), { stdio: "ignore" });
  const options = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=x".split(" ");
  openssl("req", "-new", ...options, "-keyout", key, "-out", request);
  openssl("x509", "-req", "-in", request, "-signkey", key, "-days", "-1", "-out", certificate);
}

// One kind of store is enough: the proxy sees no difference.
describe.each(storeKinds.slice(0, 1))("a server behind a proxy with TLS", (kind) => {
  const server = useServer(kind);
  const own = { apiKey: "" };

  beforeEach(async () => {
    const accountId = await addAccount(server.stores);
    own.apiKey = (await addKey(server.stores, accountId, { scopes: ["admin"] })).secret;
  });

  /** Starts a proxy that ends TLS. @returns its URL */
  async function proxyWith(name: string, ...protocols: string[]): Promise<string> {
    const [cert, key] = ["crt", "key"].map((each) => readFileSync(fileOf(`${name}.${each}`)));
    const proxy = createServer(
      { cert, key, ALPNProtocols: ["h2", ...protocols].slice(-1) },
      (client) => {
        const upstream = connect(server.port, "127.0.0.1");
        client.on("error", () => upstream.destroy()).pipe(upstream);
        upstream.on("error", () => client.destroy()).pipe(client);
        onTestFinished(() => void client.destroy());
      },
    );
    proxy.on("tlsClientError", () => {});
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    onTestFinished(() => void proxy.close());
    return `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  }

  const list = (url: string, variables: Record<string, string>) =>
    runHere(["accounts list --output=json --server", url], { apiKey: own.apiKey, variables });

  test("is called if its authority is in INVENTORY_CA_FILE", async () => {
    const url = await proxyWith("server");
    const { code, stdout } = await list(url, { INVENTORY_CA_FILE: fileOf("authority.crt") });
    expect([code, JSON.parse(stdout)]).toEqual([0, [expect.objectContaining({ plan: "free" })]]);
    expect(server.records).toHaveLength(1);
  });

  test("is called if Node trusts its authority", async () => {
    const url = await proxyWith("server");
    const { code, stderr } = await runThere(["accounts list --server", url], {
      variables: { INVENTORY_API_KEY: own.apiKey, NODE_EXTRA_CA_CERTS: fileOf("authority.crt") },
    });
    expect([code, stderr]).toEqual([0, ""]);
  });

  const untrusted = "no trusted authority has signed its certificate.";
  const otherHost = "its certificate is for DNS:inventory.example. Correct the host in the URL";
  test.each([
    ["server", {}, `${untrusted} Set INVENTORY_CA_FILE to a PEM file with its authority`],
    ["server", { INVENTORY_CA_FILE: "other-host.crt" }, untrusted],
    ["expired", { INVENTORY_CA_FILE: "expired.crt" }, "its certificate has expired. Renew it"],
    ["other-host", { INVENTORY_CA_FILE: "authority.crt" }, otherHost],
  ])("its certificate %s is refused with %j: exit code 8", async (name, files, message) => {
    const url = await proxyWith(name);
    const variables = Object.fromEntries(
      Object.entries(files).map(([variable, file]) => [variable, fileOf(file)]),
    );
    const { code, stderr } = await list(url, variables);
    const reason = expect.stringContaining(`--server: cannot connect to ${url}: ${message}`);
    expect([code, JSON.parse(stderr).message]).toEqual([8, reason]);
    expect(server.records).toEqual([]);
  });

  test("without HTTP/2 is refused: exit code 8", async () => {
    const url = await proxyWith("server", "http/1.1");
    const { code, stderr } = await list(url, { INVENTORY_CA_FILE: fileOf("authority.crt") });
    const reason = "does not speak HTTP/2. Enable it there, or correct the URL";
    expect([code, JSON.parse(stderr).message]).toEqual([8, expect.stringContaining(reason)]);
  });

  test.each([
    ["missing.crt", "no such file or directory"],
    ["empty.crt", "has no PEM certificate. Set it to a file that has one"],
  ])("%s is not a file with an authority", async (file, message) => {
    const { code, stderr } = await list("https://127.0.0.1:1", { INVENTORY_CA_FILE: fileOf(file) });
    expect(code).not.toBe(0);
    expect(JSON.parse(stderr).message).toBe(`INVENTORY_CA_FILE: ${fileOf(file)}: ${message}`);
  });
});
