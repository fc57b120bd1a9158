import {
  chmodSync,
  cpSync,
  globSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join, relative } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createCertificate } from "../../support/certificate.ts";
import { useDirectory } from "../../support/directory.ts";
import { freePort, startRedisServer } from "../harness/redis-server.ts";
import { until } from "../harness/until.ts";
import { type Bundle, buildImage, type Container, unpack } from "./container.ts";

const project = join(import.meta.dirname, "../../..");
const work = useDirectory();
const image = join(work, "image");
let digest: string;
let bundle: Bundle;

beforeAll(() => {
  digest = buildImage(image);
  bundle = unpack(image);
});

/** How long a build of the image may take on a busy machine, in ms. */
const buildMs = 240_000;

/** How long a container may take to listen on a busy machine, in ms. */
const startMs = 25_000;

/** The files below a folder, without links and folders. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function readBlob(sha256: string): Record<string, never> {
  return JSON.parse(readFileSync(join(image, "blobs", sha256.replace(":", "/")), "utf8"));
}

/** Starts a container, and waits until `/livez` responds or the container logs an error. */
async function start(port: number, environment: Readonly<Record<string, string>>) {
  const container = bundle.start({ PORT: `${port}`, ...environment });
  onTestFinished(container.kill);
  const listens = () => container.lines.some((line) => line.includes(`localhost:${port}`));
  await until("the container listens", listens, startMs).catch((error: unknown) => {
    throw new Error(`The container printed: ${container.lines.join("\n")}`, { cause: error });
  });
  return container;
}

function evaluate(container: Container, script: string): unknown {
  const { output } = container.exec("/usr/bin/node", "--print", `JSON.stringify(${script})`);
  return JSON.parse(output);
}

describe("contents of the image", () => {
  test("has the same digest if a clone with other permissions is built under another umask", {
    timeout: buildMs,
  }, () => {
    const clone = join(work, "clone");
    const copied = [
      "package.json",
      "package-lock.json",
      ".npmrc",
      "src",
      "packages",
      "packaging",
      "gen",
      "deploy",
      ...globSync(["clients/README.md", "clients/*/README.md"], { cwd: project }),
    ];
    for (const each of copied) cpSync(join(project, each), join(clone, each), { recursive: true });
    symlinkSync(join(project, "node_modules"), join(clone, "node_modules"));
    const again = join(work, "again");
    // Without a repository, the revision comes from the environment.
    expect(buildImage(again, join(clone, "deploy/image/build.sh"), "077")).toBe(digest);
  });

  test("has no program except node and the dynamic linker", () => {
    const programs = filesIn(bundle.root).filter((path) => {
      const isModule = path.startsWith("app/");
      return !isModule && (statSync(join(bundle.root, path)).mode & 0o111) !== 0;
    });
    const libraries = programs.filter((path) => /\.so(\.\d+)*$/.test(path));
    expect(programs.filter((path) => !libraries.includes(path))).toEqual(["usr/bin/node"]);
    expect(libraries.map((path) => path.replace(/^.*\//, ""))).toEqual(
      expect.arrayContaining([expect.stringMatching(/^ld-linux/), "libc.so.6"]),
    );
  });

  test("has no file of development, and no file that a user could write", () => {
    const files = filesIn(bundle.root);
    expect(files).toContain("app/dist/start.js");
    expect(files).toContain("app/gen/openapi.json");
    expect(files).toContain("etc/os-release");
    expect(files).toContain("app/dist/web/console.html");
    expect(files.filter((path) => /^app\/(test|bench|docs|packaging|\.)/.test(path))).toEqual([]);
    expect(readdirSync(join(bundle.root, "app")).sort()).toEqual([
      ...["deploy", "dist", "gen", "package.json", "sbom.cdx.json"],
    ]);
    expect(files.filter((path) => path.endsWith(".ts"))).toEqual(["app/deploy/health.ts"]);
    const writable = files.filter((path) => (statSync(join(bundle.root, path)).mode & 0o022) !== 0);
    expect(writable).toEqual([]);
  });

  test("lists all packages in the SBOM", () => {
    const sbom = JSON.parse(readFileSync(join(bundle.root, "app/sbom.cdx.json"), "utf8"));
    const { components, metadata } = sbom as {
      components: { name: string; version: string; purl: string }[];
      metadata: { component: { name: string } };
    };
    const names = components.map(({ name }) => name);
    const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    expect(metadata.component.name).toBe("inventory-service");
    expect(components.find(({ name }) => name === "node")?.version).toBe(process.version.slice(1));
    const packages = readdirSync(join(bundle.root, "var/lib/dpkg/status.d"));
    expect(packages).toContain("libstdc++6");
    expect(names).toEqual(expect.arrayContaining(packages));
    const licenses = readFileSync(join(bundle.root, "app/dist/server/licenses.txt"), "utf8");
    const bundled = [...licenses.matchAll(/^=+\n(\S+) \d/gm)].map(([, name]) => name);
    expect(bundled.length).toBeGreaterThan(25);
    expect(names).toEqual(expect.arrayContaining(bundled));
  });

  test("has the settings of Dockerfile", () => {
    const index = JSON.parse(readFileSync(join(image, "index.json"), "utf8"));
    expect(index.manifests[0].digest).toBe(digest);
    const manifest = readBlob(digest) as unknown as { config: { digest: string } };
    const { config } = readBlob(manifest.config.digest) as unknown as { config: ImageConfig };
    const dockerfile = readFileSync(join(project, "Dockerfile"), "utf8");
    const inDockerfile = (instruction: string) =>
      new RegExp(`^${instruction} (.*)$`, "m").exec(dockerfile)?.[1];
    expect(config.User).toBe(inDockerfile("USER"));
    expect(config.WorkingDir).toBe(inDockerfile("WORKDIR /app") ?? "/app");
    expect(config.StopSignal).toBe(inDockerfile("STOPSIGNAL"));
    expect(config.Entrypoint).toEqual(JSON.parse(inDockerfile("ENTRYPOINT") ?? ""));
    expect(config.Cmd).toEqual(JSON.parse(inDockerfile("CMD") ?? ""));
    expect(config.Env.join(" ")).toBe(inDockerfile("ENV"));
    expect(Object.keys(config.ExposedPorts)).toEqual(
      inDockerfile("EXPOSE")
        ?.split(" ")
        .map((port) => `${port}/tcp`),
    );
    const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
    expect(config.Labels["org.opencontainers.image.version"]).toBe(version);
    expect(dockerfile).toContain(`org.opencontainers.image.version="${version}"`);
  });
});

interface ImageConfig {
  readonly User: string;
  readonly WorkingDir: string;
  readonly StopSignal: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Env: readonly string[];
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Labels: Readonly<Record<string, string>>;
}

describe("a container with a read-only root and no privileges", () => {
  test("serves from Redis, runs the command line, and exits with 0 on SIGTERM", async () => {
    const redis = await startRedisServer("--appendonly", "yes");
    onTestFinished(redis.stop);
    const port = await freePort();
    const adminPort = await freePort();
    const container = await start(port, {
      REDIS_URL: redis.url,
      ADMIN_ADDR: `127.0.0.1:${adminPort}`,
      // Tracing loads packages that nothing else needs.
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_TRACES_SAMPLER: "always_off",
    });
    const inventory = (...args: string[]) => {
      const { code, output } = container.exec("/usr/bin/node", "dist/cli/start.js", ...args);
      expect(output).not.toBe("");
      expect(code).toBe(0);
      return JSON.parse(output);
    };
    const account = ["accounts", "create", "--name", "shop", "--plan", "free", "--output=json"];
    const { accountId } = inventory(...account);
    const { key } = inventory("keys", "create", accountId, "--output=json");
    const response = await fetch(`http://127.0.0.1:${port}/v1/inventory`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual([]);
    expect(await container.stop()).toBe(0);
    expect(container.lines.join("\n")).not.toMatch(/"level":[456]0|warning/i);
  });

  test("runs without root, capabilities or a shell, and can change nothing", async () => {
    const container = await start(await freePort(), { ADMIN_ADDR: "" });
    expect(evaluate(container, "[process.getuid(), process.getgid()]")).toEqual([65532, 65532]);
    const status = String(evaluate(container, 'fs.readFileSync("/proc/1/status", "utf8")'));
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    expect(status).toMatch(/^CapBnd:\s+0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status).toMatch(/^Uid:\s+65532\s/m);
    const write = (path: string) =>
      evaluate(
        container,
        `(() => { try { fs.writeFileSync("${path}", ""); } catch (e) { return e.code; } })()`,
      );
    expect(["/app/x", "/tmp/x", "/etc/passwd", "/x"].map(write)).toEqual(
      Array.from({ length: 4 }, () => "EROFS"),
    );
    const shell = container.exec("/bin/sh", "-c", "true");
    expect(shell.code).not.toBe(0);
    expect(shell.output).toContain("not found");
  });

  test("exits with 0 on SIGTERM while it waits for Redis", async () => {
    let hasConnected = false;
    const silent = createServer(() => {
      hasConnected = true;
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const container = bundle.start({ REDIS_URL: `redis://127.0.0.1:${port}`, ADMIN_ADDR: "" });
    onTestFinished(container.kill);
    await until("it connects to Redis", () => hasConnected, startMs);
    expect(await container.stop()).toBe(0);
  });

  const health = ["/usr/bin/node", "/app/deploy/health.ts"] as const;

  test("is healthy while it listens on PORT, also with TLS", async () => {
    const port = await freePort();
    const container = await start(port, { ADMIN_ADDR: "" });
    expect(container.exec(...health)).toEqual({ code: 0, output: "" });

    createCertificate(join(bundle.root, "app/tls"), "DNS:inventory.example");
    // Like a mounted secret, it belongs to root, and its mode lets the service read it.
    chmodSync(join(bundle.root, "app/tls.key"), 0o444);
    const secure = await start(await freePort(), {
      ADMIN_ADDR: "",
      TLS_CERT: "/app/tls.crt",
      TLS_KEY: "/app/tls.key",
    });
    expect(secure.exec(...health)).toEqual({ code: 0, output: "" });
  });

  test("is not healthy if the process does not respond", async () => {
    const port = await freePort();
    const container = await start(port, { ADMIN_ADDR: "" });
    const other = await freePort();
    const elsewhere = `process.env.PORT = "${other}"; await import("/app/deploy/health.ts")`;
    const { code, output } = container.exec(
      ...["/usr/bin/node", "--input-type=module", "--eval", elsewhere],
    );
    expect(code).toBe(1);
    expect(output).toContain(`127.0.0.1:${other} is not healthy: `);
  });
});
