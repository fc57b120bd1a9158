import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../../src/config/config.ts";
import { freePort, startRedisAt } from "../harness/redis-server.ts";
import { settingNames } from "./settings.ts";
import { parseYaml, pythonTool, run } from "./tools.ts";

const project = join(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(project, path), "utf8");
const dockerfile = read("Dockerfile");

/** The sources of the COPY instructions that copy from the project. */
function copied(): string[] {
  const paths = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, text = ""]) =>
    text.split(" ").slice(0, -1),
  );
  // Two stages copy the sources.
  return [...new Set(paths)];
}

test("Dockerfile has no finding of hadolint", () => {
  // The versions of Debian packages are those of the base image, which is pinned.
  expect(run(pythonTool("hadolint"), join(project, "Dockerfile"))).toBe("");
});

test("Dockerfile copies paths that exist and that .dockerignore lets through", () => {
  expect(copied()).toContain("src");
  expect(copied().filter((path) => !existsSync(join(project, path)))).toEqual([]);
  const allowed = [...read(".dockerignore").matchAll(/^!(.+)$/gm)].map(([, path]) => path);
  expect(allowed.toSorted()).toEqual(copied().toSorted());
});

test("Dockerfile has the Node that the project is tested with", () => {
  const { devDependencies } = JSON.parse(read("package.json"));
  expect(/^FROM node:(.*)-bookworm-slim@/m.exec(dockerfile)?.[1]).toBe(devDependencies.node);
});

test("Dockerfile's final stage runs nothing, so that it needs no shell", () => {
  const [, final = ""] = dockerfile.split("\nFROM scratch\n");
  expect(final).toContain("ENTRYPOINT [");
  expect(final).not.toMatch(/^RUN /m);
  // Without brackets, Docker would start a shell.
  expect(final).not.toMatch(/^ *(CMD|ENTRYPOINT) (?!\[)/m);
});

test("Dockerfile sets settings of the service", () => {
  const [, variables = ""] = /^ENV (.*)$/m.exec(dockerfile) ?? [];
  const names = variables.split(" ").map((each) => each.split("=")[0] ?? "");
  expect(names).toContain("HOST");
  expect(names.filter((name) => !settingNames.has(name))).toEqual(["PATH", "NODE_ENV"]);
});

interface ComposeService {
  readonly command?: readonly [string, ...string[]];
  readonly entrypoint?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly environment?: Readonly<Record<string, string>>;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly stop_grace_period: string;
}

/** Reads compose.yaml with the library of Docker Compose, which refuses unknown fields. */
function compose(): { services: Record<"inventory" | "redis" | "redis-password", ComposeService> } {
  const program = "github.com/compose-spec/compose-go/v2/cmd@v2.16.2";
  const yaml = execFileSync("go", ["run", program, "compose.yaml"], {
    cwd: project,
    encoding: "utf8",
    env: { ...process.env, GOFLAGS: "-mod=mod" },
  });
  return parseYaml(yaml)[0] as ReturnType<typeof compose>;
}

test("compose.yaml is valid, and its containers have no privileges", () => {
  const { services } = compose();
  expect(Object.keys(services)).toEqual(["inventory", "redis", "redis-password"]);
  for (const service of Object.values(services)) {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
  }
  const { environment = {}, stop_grace_period } = services.inventory;
  expect(Object.keys(environment).filter((name) => !settingNames.has(name))).toEqual([]);
  // The defaults: 5 s of delay after readiness was polled, and 10 s of drain.
  expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(15);
}, 120_000);

describe("Redis of compose.yaml", () => {
  const { services } = parseYaml(read("compose.yaml"))[0] as ReturnType<typeof compose>;

  /** A shell command of the file, as the containers get it, with a folder in place of the volume of the password. */
  const inFolder = (text: string, folder: string) =>
    text.replaceAll("$$", "$").replaceAll("/run/redis", folder);

  /** Runs the container that writes the password. @returns the folder */
  function writePassword(folder = mkdtempSync(join(tmpdir(), "inventory-redis-"))): string {
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [shell = "", ...args] = services["redis-password"].entrypoint ?? [];
    run(shell, ...args.map((arg) => inFolder(arg, folder)));
    return folder;
  }
  const passwordIn = (folder: string) => readFileSync(join(folder, "password"), "utf8");

  test("has a random password, which stays", () => {
    const folder = writePassword();
    const password = passwordIn(folder);
    expect(password).toMatch(/^[0-9a-f]{64}$/);
    expect(passwordIn(writePassword(folder))).toBe(password);
    expect(passwordIn(writePassword())).not.toBe(password);
    // After a stop in the middle.
    rmSync(join(folder, "password"));
    writeFileSync(join(folder, "new"), "", { mode: 0o444 });
    expect(passwordIn(writePassword(folder))).toMatch(/^[0-9a-f]{64}$/);
    // The users of both containers read it.
    for (const name of ["password", "users.acl"]) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o444);
    }
    expect(readFileSync(join(folder, "users.acl"), "utf8")).not.toContain(passwordIn(folder));
  });

  test("keeps its data, evicts nothing, refuses others, and passes its health check", async () => {
    const folder = writePassword();
    const { command, healthcheck } = services.redis;
    const [program, ...options] = (command ?? [""]).map((each) => inFolder(each, folder));
    expect(program).toBe("redis-server");
    const redis = await startRedisAt(await freePort(), () => options);
    onTestFinished(redis.stop);
    const cli = (...args: string[]) => run("redis-cli", "-p", `${redis.port}`, ...args).trim();
    expect(cli("PING")).toBe("NOAUTH Authentication required.");
    const authorized = ["--no-auth-warning", "-a", passwordIn(folder)];
    const config = (name: string) => cli(...authorized, "CONFIG", "GET", name).split("\n")[1];
    expect(config("appendonly")).toBe("yes");
    expect(config("maxmemory-policy")).toBe("noeviction");
    expect(Number(config("maxmemory"))).toBe(2 * 2 ** 30);
    const [kind, check = ""] = healthcheck?.test ?? [];
    expect(kind).toBe("CMD-SHELL");
    const onPort = inFolder(check, folder).replace("redis-cli", `redis-cli -p ${redis.port}`);
    expect(run("sh", "-c", onPort).trim()).toBe("PONG");
    expect(() => run("sh", "-c", onPort.replace(/REDISCLI_AUTH=\S+ \S+ /, ""))).toThrow();
    const { environment = {} } = services.inventory;
    const { redis: settings } = readConfig(
      Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [name, inFolder(value, folder)]),
      ),
    );
    expect(settings?.passwordFile).toBe(join(folder, "password"));
  });
});
