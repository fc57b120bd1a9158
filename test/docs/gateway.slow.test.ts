import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { useDirectory } from "../support/directory.ts";
import { runCommand, startChild } from "../system/harness/child.ts";
import { freePort } from "../system/harness/redis-server.ts";
import { until } from "../system/harness/until.ts";
import { typePage } from "./console.ts";

const root = join(import.meta.dirname, "../..");
const page = "packages/connect-gateway/README.md";
const text = readFileSync(join(root, page), "utf8");

const blocks = (language: string) =>
  Array.from(
    text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms")),
    ([, code = ""]) => code,
  );

const shown = "127.0.0.1:8080";
const [server = "", client = "", gate = "", health = "", existing = ""] = blocks("ts");
const programs = { server, client, gate, health, existing };

describe("the README of the gateway", () => {
  const folder = useDirectory();

  beforeAll(() => {
    const [proto = ""] = blocks("proto");
    const [modules = "", template = ""] = blocks("yaml");
    mkdirSync(join(folder, "proto/greet/v1"), { recursive: true });
    writeFileSync(join(folder, "proto/greet/v1/greet.proto"), proto);
    // The files that a reader gets from the registry.
    const google = join(root, "node_modules/google-gax/build/protos/google/api");
    for (const name of ["http", "annotations"]) {
      cpSync(join(google, `${name}.proto`), join(folder, `proto/google/api/${name}.proto`));
    }
    writeFileSync(join(folder, "buf.yaml"), modules.replace(/^deps:\n.*\n/m, ""));
    writeFileSync(join(folder, "buf.gen.yaml"), template);
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    for (const [name, code] of Object.entries(programs)) {
      writeFileSync(join(folder, `${name}.ts`), code);
    }
    execFileSync(join(root, "node_modules/.bin/buf"), ["generate"], { cwd: folder });
  });

  async function start(name: keyof typeof programs) {
    const address = `127.0.0.1:${await freePort()}`;
    const port = address.slice("127.0.0.1:".length);
    const file = `${name}-${port}.ts`;
    writeFileSync(join(folder, file), programs[name].replace("8080", port));
    const child = startChild([process.execPath, file], { cwd: folder });
    onTestFinished(async () => void (await child.end("SIGKILL")));
    const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
      const response = await fetch(`http://${address}${path}`, { headers });
      return [response.status, await response.text()];
    };
    const isUp = () =>
      get("/").then(
        () => true,
        () => false,
      );
    await child.until("it listens", isUp, 30_000);
    return { child, get, address };
  }

  test("has programs that the compiler accepts", () => {
    const compilerOptions = {
      ...{
        module: "nodenext",
        target: "esnext",
        lib: ["esnext"],
        strict: true,
        noEmit: true,
        types: ["node"],
      },
      ...{ allowImportingTsExtensions: true, skipLibCheck: true },
    };
    const files = Object.keys(programs).map((name) => `${name}.ts`);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const tsc = join(root, "node_modules/.bin/tsc");
    expect(execFileSync(tsc, ["-p", folder], { encoding: "utf8" })).toBe("");
  });

  test("shows the output of its commands, and of a wrong request", async () => {
    const { address, child, get } = await start("server");
    const { expected, actual } = await typePage(page, process.env, [[shown, address]]);
    expect(expected.length).toBeGreaterThan(0);
    expect(actual).toEqual(expected);
    expect(await get("/v1/numbers?to=x")).toEqual([400, blocks("json")[0]?.trimEnd()]);
    writeFileSync(join(folder, "call.ts"), programs.client.replace(shown, address));
    const { stdout } = await runCommand([process.execPath, "call.ts"], { cwd: folder });
    expect(stdout).toBe("Hello, Ada!\n");
    expect(await child.end("SIGTERM")).toMatchObject({ code: 0 });
  });

  test("has a gate that sets the caller, and guards", async () => {
    const { get } = await start("gate");
    expect((await get("/v1/greetings/Ada"))[0]).toBe(401);
    const allowed = await get("/v1/greetings/Ada", { authorization: "Bearer secret" });
    expect(allowed).toEqual([200, '{"text":"Hello, Ada at 127.0.0.1!"}']);
    expect((await get("/v1/numbers", { authorization: "Bearer other" }))[0]).toBe(403);
    const long = await get(`/v1/greetings/${"a".repeat(65)}`, { authorization: "Bearer secret" });
    expect(long[0]).toBe(400);
  });

  test("has a page, and a shutdown that probes and streams can see", async () => {
    const { child, get } = await start("health");
    const numbers = get("/v1/numbers");
    expect((await get("/readyz"))[0]).toBe(200);
    expect(await get("/version")).toEqual([200, "1.0.0\n"]);
    child.kill("SIGTERM");
    await until("it is not ready", async () => (await get("/readyz"))[0] === 503);
    expect((await numbers)[0]).toBe(200);
    expect(await child.exited()).toMatchObject({ code: 0 });
  });

  test("has a server with a page of its own", async () => {
    const { get } = await start("existing");
    expect(await get("/")).toEqual([200, "Hello!\n"]);
    expect(await get("/v1/greetings/Ada")).toEqual([200, '{"text":"Ada"}']);
  });
});

test("the README of the gateway names each difference from Connect's adapter that the contract's test finds", () => {
  const test = readFileSync(join(root, "test/contract/stock-connect.test.ts"), "utf8");
  const [, body = ""] = /^const differences: [^{]*\{(.*?)^\};/ms.exec(test) ?? [];
  const names = [...body.matchAll(/^ {2}"([\w-]+)":/gm)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !text.toLowerCase().includes(`\`${name}\``))).toEqual([]);
});

describe("the tables of the README of the gateway", () => {
  const source = readFileSync(
    join(root, "packages/connect-gateway/src/server/gateway-options.ts"),
    "utf8",
  );
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));

  test("have each option", () => {
    const [, body = ""] = /^export interface GatewayOptions [^{]*\{(.*?)^\}/ms.exec(source) ?? [];
    const [, errors = ""] = /^export interface GatewayErrors \{(.*?)^\}/ms.exec(source) ?? [];
    const names = [...`${body}${errors}`.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(
      ([, name = ""]) => name,
    );
    expect(names.length).toBeGreaterThan(15);
    const listed = rows.flatMap((row) => row.split("|")[1]?.match(/\w+/g) ?? []);
    expect(names.filter((name) => !listed.includes(name))).toEqual([]);
  });

  test("have each reason of the gateway's errors over HTTP", () => {
    const sources = globSync("packages/connect-gateway/src/**/*.ts", { cwd: root });
    const reasons = sources.flatMap((file) =>
      Array.from(
        readFileSync(join(root, file), "utf8").matchAll(/\bhttpError\(\s*"([A-Z_]+)"/g),
        ([, reason = ""]) => reason,
      ),
    );
    expect(new Set(reasons).size).toBeGreaterThan(7);
    expect(reasons.filter((reason) => !text.includes(`| \`${reason}\` |`))).toEqual([]);
  });

  test("have the default of each limit", () => {
    const [, body = ""] = /^const defaultLimits: GatewayLimits = \{(.*?)^\}/ms.exec(source) ?? [];
    const numbers = [...body.matchAll(/(\w+): ([\d_]+(?: \* [\d_]+)*)/g)].map(
      ([, name = "", product = ""]) =>
        [
          name,
          product.split(" * ").reduce((all, each) => all * Number(each.replaceAll("_", "")), 1),
        ] as const,
    );
    expect(numbers.length).toBeGreaterThan(10);
    const wrong = numbers.filter(
      ([name, value]) => !rows.some((row) => new RegExp(`\\b${name}\` \\| ${value} \\|`).test(row)),
    );
    expect(wrong).toEqual([]);
  });
});
