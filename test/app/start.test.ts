import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { directoryOfTest } from "../support/directory.ts";
import { runCommand, startChild } from "../system/harness/child.ts";

const root = join(import.meta.dirname, "../..");
const oldest = (version: string) => /^>=(\d+)$/.exec(version)?.[1];
const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** A Node that is too old, and its version. */
function findOldNode(): { path: string; version: string } | undefined {
  const paths = ["/usr/bin/node", "/usr/local/bin/node"].filter((path) => existsSync(path));
  for (const path of paths) {
    const version = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.trim().slice(1);
    if (Number.parseInt(version, 10) < Number(oldest(engines.node))) return { path, version };
  }
  return undefined;
}

/** Runs a program. @returns its exit code and output */
async function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await runCommand([command, ...args], { cwd: root, env });
  return { code, stdout, stderr };
}

/** Makes this Node report another version. */
const pretend = (version: string) => [
  "--import",
  `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${version}"})`,
];

const entries = ["src/start.js", "src/cli/start.js", "src/main.ts", "src/cli/main.ts"];
const tooOld = (version: string) => ({
  code: 1,
  stdout: "",
  stderr: expect.stringMatching(
    new RegExp(
      `^Node ${oldest(engines.node)} or newer is needed; this is ${version}\\. [^\\n]+\\n$`,
    ),
  ),
});

describe("an older Node", () => {
  test.for(entries)("gets one line and exit code 1: %s", async (entry) => {
    expect(await run(process.execPath, [...pretend("24.11.0"), entry])).toEqual(tooOld("24.11.0"));
  });

  const old = findOldNode();
  test.runIf(process.env.CI)("is installed in CI, so that no test is left out there", () => {
    expect(old).toBeDefined();
  });

  test.runIf(old).for(["src/start.js", "src/cli/start.js"])(
    "that cannot load TypeScript gets one line, too: %s",
    async (entry) => {
      expect(await run(old?.path ?? "", [entry])).toEqual(tooOld(old?.version ?? ""));
    },
  );

  test.runIf(old).for(["start", "inventory"])(
    "without development dependencies gets one line from npm: npm run %s",
    async (script) => {
      const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
      // The PATH of npm without node_modules/.bin, which has Node only with development dependencies.
      const env = { ...process.env, PATH: "/usr/bin:/bin" };
      expect(await run("/bin/sh", ["-c", scripts[script]], env)).toEqual(
        tooOld(old?.version ?? ""),
      );
    },
  );
});

/** Makes Node write the names of its own modules that it has loaded, when it exits. */
const listModules = [
  "--import",
  'data:text/javascript,process.once("exit",()=>console.error(process.moduleLoadList.join()))',
];

test("the second start does not load Node's compiler of TypeScript", async () => {
  const folder = directoryOfTest();
  const start = () =>
    run(process.execPath, [...listModules, "src/cli/start.js", "config", "check"], {
      TMPDIR: folder,
    });
  const compiler = "internal/deps/amaro/dist/index";
  expect((await start()).stderr).toContain(compiler);
  expect((await start()).stderr).not.toContain(compiler);
});

/** Starts a service with the sample data, until the test ends. @returns its key and a URL to try */
async function startService(command: readonly [string, ...string[]]) {
  const env = { PORT: "0", ADMIN_ADDR: "", PATH: process.env.PATH };
  const server = startChild(command, { cwd: root, env });
  onTestFinished(async () => void (await server.end()));
  const welcome = /INVENTORY_API_KEY=(\S+)\n.* (http\S+)\n/;
  const [, key, url = ""] = await server.until(
    "the service welcomes",
    () => welcome.exec(server.stdout) ?? undefined,
  );
  return { server, key, url };
}

test("a server that has served a list has not loaded Node's fetch", async () => {
  const command = [process.execPath, ...listModules, "src/start.js"] as const;
  const { server, key, url } = await startService(command);
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  expect(response.status).toBe(200);
  await response.text();
  await server.end("SIGTERM");
  expect(server.stderr).toContain("NativeModule http2");
  expect(server.stderr).not.toContain("undici");
});

const fileText = (path: string) => readFileSync(join(root, path), "utf8");

test.for<[name: string, command: string]>([
  ["npm start", JSON.parse(fileText("package.json")).scripts.start],
  ["npx", "/usr/bin/node dist/start.js"],
  ["systemd", /^ExecStart=(.*)$/m.exec(fileText("deploy/systemd/inventory.service"))?.[1] ?? ""],
  [
    "the image",
    ["ENTRYPOINT", "CMD"]
      .flatMap((word) =>
        JSON.parse(new RegExp(`^${word} (.*)$`, "m").exec(fileText("Dockerfile"))?.[1] ?? "[]"),
      )
      .join(" "),
  ],
])("SIGUSR1 does not open the inspector of a service that %s has started", async ([, command]) => {
  // A clone has no build. Its options are those of the sources.
  const here = command
    .replace("/usr/bin/node", process.execPath)
    .replace("dist/start.js", "src/start.js");
  const program = here.replace(/^(?!.*exec )/, "exec ");
  const { server } = await startService(["/bin/sh", "-c", program]);
  server.kill("SIGUSR1");
  const { code } = await server.end("SIGTERM");
  expect([code, server.stderr]).toEqual([0, expect.not.stringContaining("Debugger listening")]);
});

test.for(["--with-samples", "--port", "redis://127.0.0.1"])(
  "an option that the service does not have ends it, and the line names those that it has: %s",
  async (option) => {
    const { code, stdout, stderr } = await run(process.execPath, ["src/start.js", option]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      new RegExp(
        `^${option}: the options are --with-sample, [^\\n]*environment variables[^\\n]*\\n$`,
      ),
    );
  },
);

test.for([
  ["--help", /^Usage: .*--with-sample/],
  ["--version", /^\d+\.\d+\.\d+\n$/],
] as const)("the service prints for %s", async ([option, text]) => {
  const { code, stdout } = await run(process.execPath, ["src/start.js", option]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(text)]);
});

test("this Node runs the command line", async () => {
  const { code, stdout } = await run(process.execPath, ["src/cli/start.js", "config", "check"], {});
  expect({ code, stdout }).toEqual({ code: 0, stdout: "all settings are valid\n" });
});
