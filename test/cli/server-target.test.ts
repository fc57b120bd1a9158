import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { addAccount, addKey } from "../support/accounts.ts";
import { useDirectory } from "../support/directory.ts";
import { useServer } from "../support/server.ts";
import { storeKinds, useRedis } from "../support/stores.ts";
import { failed, runHere, succeedHere } from "./command-line.ts";

const redis = useRedis();

// One kind of store is enough: the choice reads no stores.
describe.each(storeKinds.slice(0, 1))("the server of a command, and its API key", (kind) => {
  const server = useServer(kind);
  const directory = useDirectory();
  const own = { apiKey: "", accountId: "" };

  beforeEach(async () => {
    own.accountId = await addAccount(server.stores);
    own.apiKey = (await addKey(server.stores, own.accountId, { scopes: ["admin"] })).secret;
  });

  const accountsOf = async (variables: Record<string, string>, ...more: string[]) => {
    const words = ["accounts", "list", "--output=json", ...more];
    const { stdout } = await runHere(words, { apiKey: own.apiKey, variables });
    return JSON.parse(stdout).map(({ accountId }: { accountId: string }) => accountId);
  };
  const withServer = (variables: Record<string, string>) => ({
    variables: { INVENTORY_SERVER: server.url, ...variables },
  });
  const usage = (variables: Record<string, string>) => runHere(["usage"], withServer(variables));
  const keyFile = async (content: string) => {
    const path = join(directory, "key");
    await writeFile(path, content);
    return path;
  };

  test("--server comes before INVENTORY_SERVER, and that before REDIS_URL", async () => {
    await redis.client.flushdb();
    const REDIS_URL = redis.url;
    expect(await accountsOf({ REDIS_URL })).toEqual([]);
    expect(await accountsOf({ REDIS_URL, INVENTORY_SERVER: "" })).toEqual([]);
    expect(await accountsOf({ REDIS_URL, INVENTORY_SERVER: server.url })).toEqual([own.accountId]);
    const variables = { REDIS_URL, INVENTORY_SERVER: "http://127.0.0.1:1" };
    expect(await accountsOf(variables, "--server", server.url)).toEqual([own.accountId]);
  });

  test("usage needs a server: exit code 2", async () => {
    const { code, stderr } = await runHere(["usage"], { redisUrl: redis.url });
    expect([code, stderr]).toEqual([2, expect.stringContaining("it needs a server")]);
  });

  test.each(["/v1", "/v1/"])("the path %s of the HTTP interface: exit code 2", async (path) => {
    const { code, stderr } = await runHere(["usage --server", server.url + path], {
      apiKey: own.apiKey,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining("--server: must not end with /v1")]);
  });

  test.each([["ftp://x"], ["inventory"], ["https://user:pass@host"], ["https://host/#a"]])(
    "%s is not the URL of a server: exit code 2",
    async (url) => {
      const { code, stderr } = await runHere(["usage --server", url], { apiKey: own.apiKey });
      expect([code, stderr]).toEqual([2, expect.stringContaining("--server: must be a URL")]);
      expect(stderr).not.toContain("pass");
    },
  );

  test.each([
    ["the key alone", (key: string) => key],
    ["a line", (key: string) => `${key}\r\n`],
    ["the whole header", (key: string) => `Authorization: Bearer ${key}\n`],
  ])("a key in the environment or a file can be %s", async (_, textOf) => {
    const text = textOf(own.apiKey);
    await succeedHere(["usage"], withServer({ INVENTORY_API_KEY: text }));
    await succeedHere(["usage"], withServer({ INVENTORY_API_KEY_FILE: await keyFile(text) }));
  });

  test.each([
    ["two keys", (key: string) => `${key}\n${key}`],
    ["a key in quotes", (key: string) => `“${key}”`],
    ["half a key", (key: string) => key.slice(0, 30)],
    ["nothing but a line break", () => "\n"],
  ])("%s: not sent, not printed, exit code 5", async (_, textOf) => {
    const text = textOf(own.apiKey);
    const path = await keyFile(text);
    for (const [source, variables] of [
      ["INVENTORY_API_KEY", { INVENTORY_API_KEY: text }],
      [path, { INVENTORY_API_KEY_FILE: path }],
    ] as const) {
      expect(await usage(variables)).toEqual(
        failed(
          5,
          `error: ${source}: that is not an API key, or a character is wrong: a key begins with inv_ and has 49 characters\n`,
        ),
      );
    }
    expect(server.records).toEqual([]);
  });

  test("without a key, the error says how to give one: exit code 5", async () => {
    expect(await usage({ INVENTORY_API_KEY_FILE: "" })).toEqual(
      failed(
        5,
        "error: INVENTORY_API_KEY is not set: set it to an API key, or set INVENTORY_API_KEY_FILE to the path of a file with the key\n",
      ),
    );
  });

  test("two keys are a wrong environment: exit code 2", async () => {
    const INVENTORY_API_KEY_FILE = await keyFile(own.apiKey);
    expect(await usage({ INVENTORY_API_KEY: own.apiKey, INVENTORY_API_KEY_FILE })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("are both set: remove one of them"),
    });
  });

  test("a file that cannot be read is named, with its variable", async () => {
    const path = join(directory, "missing");
    expect(await usage({ INVENTORY_API_KEY_FILE: path })).toMatchObject({
      code: 1,
      stderr: `error: INVENTORY_API_KEY_FILE: ${path}: no such file or directory\n`,
    });
  });
});
