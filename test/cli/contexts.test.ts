import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scopes } from "../../src/access/scopes.ts";
import { addAccount, addKey, someKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { storeKinds, useRedis } from "../support/stores.ts";
import { runHere } from "./command-line.ts";

const redis = useRedis();

// One kind of store is enough: the commands read no stores.
describe.each(storeKinds.slice(0, 1))("login, logout and contexts", (kind) => {
  const server = useServer(kind);
  const own = { directory: "", apiKey: "", accountId: "", keyId: "" };

  beforeEach(async () => {
    own.directory = await mkdtemp(join(tmpdir(), "inventory-contexts-"));
    own.accountId = await addAccount(server.stores);
    const { secret, keyId } = await addKey(server.stores, own.accountId, { scopes: ["admin"] });
    Object.assign(own, { apiKey: secret, keyId });
  });

  afterEach(() => rm(own.directory, { recursive: true }));

  const path = () => join(own.directory, "inventory", "contexts.json");
  const inventory = (
    args: readonly string[],
    more: { stdin?: string; variables?: Record<string, string> } = {},
  ) =>
    runHere(args, {
      ...(more.stdin !== undefined && { stdin: more.stdin }),
      variables: { XDG_CONFIG_HOME: own.directory, ...more.variables },
    });
  const login = (...options: string[]) =>
    inventory(["login", server.url, ...options], { stdin: `${own.apiKey}\n` });
  const accountIds = (stdout: string) =>
    JSON.parse(stdout).map(({ accountId }: { accountId: string }) => accountId);

  test("login checks the key, saves it for the owner only, and prints no key", async () => {
    const { code, stdout, stderr } = await login("--json");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual({
      context: new URL(server.url).host,
      server: `${server.url}/`,
      accountId: own.accountId,
      keyId: own.keyId,
      scopes,
    });
    expect(await readFile(path(), "utf8")).toContain(own.apiKey);
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    expect((await stat(join(own.directory, "inventory"))).mode & 0o777).toBe(0o700);
  });

  test("login takes permissions from other users before it writes the key", async () => {
    await mkdir(join(own.directory, "inventory"));
    await writeFile(path(), '{"contexts":{}}');
    await chmod(path(), 0o644);
    expect((await login()).code).toBe(0);
    expect((await stat(path())).mode & 0o777).toBe(0o600);
  });

  test("login understands a pasted header", async () => {
    const stdin = `Authorization: Bearer ${own.apiKey}\n`;
    expect(await inventory(["login", server.url], { stdin })).toMatchObject({ code: 0 });
  });

  test("a key that the server rejects is not saved: exit code 5", async () => {
    const { secret } = someKey(own.accountId);
    const { code, stderr } = await inventory(["login", server.url], { stdin: secret });
    expect([code, stderr]).toEqual([5, expect.stringMatching(/reason KEY_INVALID, request id/)]);
    expect(stderr).not.toContain(secret);
    expect((await inventory(["contexts", "list", "--json"])).stdout).toBe("[]\n");
  });

  test.each([
    ["", 5, "there is no API key on standard input"],
    ["inv_mistyped", 5, "that is not an API key"],
    ["x".repeat(2_000), 2, "the API key is too long"],
  ])("standard input %j fails without a call", async (stdin, exitCode, message) => {
    const { code, stderr } = await inventory(["login", server.url], { stdin });
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(message)]);
    expect(server.records).toEqual([]);
  });

  test.each([["ftp://x"], ["inventory"], ["https://user:pass@host"], ["https://host/#a"]])(
    "%s is not the URL of a server: exit code 2",
    async (url) => {
      const { code, stderr } = await inventory(["login", url], { stdin: own.apiKey });
      expect([code, stderr]).toEqual([2, expect.stringContaining("<url>: must be a URL")]);
      expect(stderr).not.toContain("pass");
    },
  );

  test("commands use the login if neither a server nor Redis is set", async () => {
    await login();
    const { code, stdout } = await inventory(["accounts", "list", "--json"]);
    expect([code, accountIds(stdout)]).toEqual([0, [own.accountId]]);
  });

  test("--server comes before INVENTORY_SERVER, and that before REDIS_URL", async () => {
    await login();
    await redis.client.flushdb();
    const onRedis = await inventory(["accounts", "list", "--json"], {
      variables: { REDIS_URL: redis.url },
    });
    expect(onRedis).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
    const byVariable = await inventory(["accounts", "list", "--json"], {
      variables: { REDIS_URL: redis.url, INVENTORY_SERVER: server.url },
    });
    expect(accountIds(byVariable.stdout)).toEqual([own.accountId]);
    const byOption = await inventory(["accounts", "list", "--json", "--server", server.url], {
      variables: { REDIS_URL: redis.url, INVENTORY_SERVER: "http://127.0.0.1:1" },
    });
    expect(accountIds(byOption.stdout)).toEqual([own.accountId]);
  });

  test("usage chooses the server as other commands do", async () => {
    await login();
    const withLogin = await inventory(["usage"], { variables: { REDIS_URL: "" } });
    expect(withLogin).toMatchObject({ code: 0, stderr: "" });
    const file = join(own.directory, "redis-url");
    await writeFile(file, redis.url);
    const withRedis = await inventory(["usage"], { variables: { REDIS_URL_FILE: file } });
    expect(withRedis).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("it needs a server"),
    });
  });

  test("no other server gets the key of a login: exit code 5", async () => {
    await login();
    const other = "http://127.0.0.1:1";
    const { code, stderr } = await inventory(["accounts", "list", "--server", other]);
    expect([code, stderr]).toEqual([5, expect.stringContaining("INVENTORY_API_KEY is not set")]);
  });

  test("the server of a login does not get INVENTORY_API_KEY", async () => {
    await login();
    const { secret } = someKey(own.accountId);
    const { code } = await inventory(["accounts", "list"], {
      variables: { INVENTORY_API_KEY: secret },
    });
    expect(code).toBe(0);
  });

  test("logins at the same time all remain", async () => {
    const names = ["a", "b", "c", "d", "e"];
    await Promise.all(names.map((name) => login("--name", name)));
    const { stdout } = await inventory(["contexts", "list", "--json"]);
    expect(
      JSON.parse(stdout)
        .map(({ name }: { name: string }) => name)
        .sort(),
    ).toEqual(names);
  });

  test.each([
    ["two keys", (key: string) => `${key}\n${key}`],
    ["a key in quotes", (key: string) => `“${key}”`],
    ["half a key", (key: string) => key.slice(0, 30)],
  ])("%s in INVENTORY_API_KEY: not sent, not printed, exit code 5", async (_, textOf) => {
    const { code, stdout, stderr } = await inventory(["usage", "--server", server.url], {
      variables: { INVENTORY_API_KEY: textOf(own.apiKey) },
    });
    expect([code, stdout, stderr]).toEqual([
      5,
      "",
      expect.stringMatching(/^error: INVENTORY_API_KEY: that is not an API key, .*\n$/),
    ]);
    expect(stderr).not.toContain(own.apiKey.slice(0, 30));
    expect(server.records).toEqual([]);
  });

  test("INVENTORY_API_KEY may be the whole header", async () => {
    const { code } = await inventory(["usage", "--server", server.url], {
      variables: { INVENTORY_API_KEY: `Bearer ${own.apiKey}` },
    });
    expect(code).toBe(0);
  });

  test("a relative XDG_CONFIG_HOME is ignored", async () => {
    const variables = { XDG_CONFIG_HOME: "relative", HOME: own.directory };
    const { code } = await inventory(["login", server.url], { stdin: own.apiKey, variables });
    expect(code).toBe(0);
    expect((await stat(join(own.directory, ".config/inventory/contexts.json"))).isFile()).toBe(
      true,
    );
  });

  test("contexts are listed without keys, chosen and deleted", async () => {
    await login("--name", "first");
    await login("--name", "second");
    const list = async () => JSON.parse((await inventory(["contexts", "list", "--json"])).stdout);
    const currents = async () =>
      (await list()).map(({ name, isCurrent }: { name: string; isCurrent: boolean }) => [
        name,
        isCurrent,
      ]);
    expect(await currents()).toEqual([
      ["first", false],
      ["second", true],
    ]);
    expect((await inventory(["contexts", "list"])).stdout).not.toContain("inv_");
    expect((await inventory(["contexts", "use", "first"])).code).toBe(0);
    expect((await inventory(["logout"])).stdout).toContain("deleted the context first");
    expect(await currents()).toEqual([["second", false]]);
    expect(await inventory(["logout"])).toMatchObject({
      code: 4,
      stderr: "error: there is no current context. The contexts are second\n",
    });
    expect(await inventory(["contexts", "use", "first"])).toMatchObject({ code: 4 });
    expect(await inventory(["accounts", "list"])).toMatchObject({ code: 2 });
  });

  test("logout with a name deletes that context, and leaves the current one", async () => {
    await login("--name", "first");
    await login("--name", "second");
    expect((await inventory(["logout", "first"])).code).toBe(0);
    const { stdout } = await inventory(["contexts", "list", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ name: "second", isCurrent: true }]);
  });

  test.each([["not JSON"], ['{"contexts":{"a":{"server":1}}}'], ["[]"]])(
    "a file with %s is reported, and its content is not: exit code 2",
    async (content) => {
      await mkdir(join(own.directory, "inventory"));
      await writeFile(path(), content);
      expect(await inventory(["contexts", "list"])).toEqual({
        code: 2,
        stdout: "",
        stderr: `error: ${path()} is malformed: delete it, and run \`inventory login\` again\n`,
      });
    },
  );
});
