import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exitCodeOf } from "../../../src/cli/exit-codes.ts";
import { attemptMs } from "../../../src/cli/follow/webhook.ts";
import { useDirectory } from "../../support/directory.ts";
import { type Child, startChild } from "../harness/child.ts";
import { freePort, type RedisServer, startRedisServer } from "../harness/redis-server.ts";
import { until } from "../harness/until.ts";
import { settingNames } from "./settings.ts";

const project = join(import.meta.dirname, "../../..");
const unit = join(project, "deploy/systemd/inventory.service");
const work = useDirectory();

/** Highest exposure that `systemd-analyze security` may report, times 10: 0 is best, and 100 is worst. */
const maxExposure = 15;

/** The commands of the section about systemd in docs/operator/deployment.md. */
function documentedCommands(): string {
  const page = readFileSync(join(project, "docs/operator/deployment.md"), "utf8");
  const [, section = ""] = page.split("\n## systemd\n");
  const [, commands = ""] = /^```sh\n(.*?)^```$/ms.exec(section) ?? [];
  return commands;
}

/** How long a command, or the start of the service on a busy machine, may take, in ms. */
const commandTimeoutMs = 90_000;

function analyze(...args: string[]) {
  const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
  return { status, output: stdout + stderr };
}

describe("the unit", () => {
  test("is valid", () => {
    // systemd-analyze wants the program to exist.
    const copy = join(work, "inventory.service");
    writeFileSync(copy, readFileSync(unit, "utf8").replace("/usr/bin/node", process.execPath));
    expect(analyze("verify", copy)).toEqual({ status: 0, output: "" });
    writeFileSync(copy, readFileSync(unit, "utf8").replace("ProtectClock", "ProtectClocks"));
    expect(analyze("verify", copy).output).toContain("Unknown key 'ProtectClocks'");
  });

  test("leaves the service little of the system", () => {
    const limit = (exposure: number) =>
      analyze("security", "--offline=true", `--threshold=${exposure}`, unit).status;
    expect(limit(maxExposure)).toBe(0);
    expect(limit(5)).not.toBe(0);
  });

  test("gives the drain time, and sets only settings of the service", () => {
    const text = readFileSync(unit, "utf8");
    // The defaults: 5 s of delay after readiness was polled, and 10 s of drain.
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(15 + 5);
    const names = [...text.matchAll(/^Environment=(\w+)=/gm)].map(([, name = ""]) => name);
    expect(names.filter((name) => !settingNames.has(name))).toEqual([
      "NODE_ENV",
      "NODE_COMPILE_CACHE",
    ]);
    expect(names).toContain("REDIS_URL_FILE");
  });
});

describe("the unit of a relay", () => {
  const relayUnit = join(project, "deploy/systemd/inventory-relay@.service");
  const text = readFileSync(relayUnit, "utf8");

  test("is valid, and leaves the relay little of the system", () => {
    const copy = join(work, "inventory-relay@erp.service");
    writeFileSync(copy, text.replace("/usr/bin/node", process.execPath));
    expect(analyze("verify", copy)).toEqual({ status: 0, output: "" });
    const args = ["security", "--offline=true", `--threshold=${maxExposure}`, copy];
    expect(analyze(...args).status).toBe(0);
  });

  test("gives an attempt time, and is not started again after an end that needs an operator", () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(
      attemptMs / 1_000 + 5,
    );
    const ends = ["invalid_argument", "out_of_range", "gone"].map((code) =>
      code === "invalid_argument" ? 2 : exitCodeOf(code),
    );
    expect(text).toContain(`\nRestartPreventExitStatus=${ends.join(" ")}\n`);
  });
});

describe("the unit, started by systemd", () => {
  let redis: RedisServer;
  let machine: Child;
  /** The process id of systemd. */
  let systemd: number;
  let url: string;

  const run = (...command: readonly string[]) =>
    execFileSync("nsenter", ["-t", `${systemd}`, "-m", "-p", "-r", "-w", ...command], {
      encoding: "utf8",
      timeout: commandTimeoutMs,
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  const show = (property: string) =>
    run("systemctl", "show", "--property", property, "--value", "inventory");
  const journal = () => run("journalctl", "--no-pager", "--output", "cat");
  const isBooted = () => {
    try {
      return run("systemctl", "is-active", "only.target") === "active";
    } catch {
      return false;
    }
  };
  const isReady = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok;

  beforeAll(async () => {
    redis = await startRedisServer("--appendonly", "yes");
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    machine = startChild(
      [
        ...(["unshare", "--mount", "--pid", "--fork", "--cgroup", "--uts", "--ipc"] as const),
        "--kill-child",
        ...[join(import.meta.dirname, "boot-systemd.sh"), work, process.execPath, project],
      ],
      { stdio: ["ignore", "ignore", "inherit"] },
    );
    const { pid } = machine;
    systemd = await until(
      "the shell starts",
      () => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")) || undefined,
    );
    await until("systemd has booted", isBooted, 15_000);
    const commands = documentedCommands()
      .replaceAll("redis://127.0.0.1:6379", redis.url)
      .replace("'WORKERS=2'", () => `$'WORKERS=2\nPORT=${port}\nADMIN_ADDR='`)
      .replaceAll("http://127.0.0.1:8080", url);
    // The commands run as root, also where sudo is not installed.
    try {
      run(
        "bash",
        "-c",
        `set -e; shopt -s expand_aliases; sudo() { "$@"; }; cd /project\n${commands}`,
      );
    } catch (error) {
      throw new Error(`The commands failed. The journal has:\n${journal()}`, { cause: error });
    }
  });
  afterAll(async () => {
    await machine?.end();
    await redis?.stop();
  });

  test("runs as a user of its own, without capabilities, in a filtered and read-only system", () => {
    const pid = show("MainPID");
    const status = run("cat", `/proc/${pid}/status`);
    expect(status).toMatch(/^Uid:\s+[1-9]\d{3,}\s/m);
    expect(status).toMatch(/^CapBnd:\s+0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status).toMatch(/^Seccomp:\s+2$/m);
    const mounts = run("cat", `/proc/${pid}/mountinfo`);
    expect(mounts).toMatch(/^\d+ \d+ \S+ \/ \/ ro[, ]/m);
  });

  test("reads the URL of Redis from its credentials, and not from the environment", () => {
    const environment = run("cat", `/proc/${show("MainPID")}/environ`);
    expect(environment).toContain("REDIS_URL_FILE=/run/credentials/inventory.service/redis-url");
    expect(environment).not.toContain(redis.url);
    expect(journal()).not.toContain("All data is lost");
  });

  test("keeps its process on reload", () => {
    const before = show("MainPID");
    run("systemctl", "reload", "inventory");
    expect(show("MainPID")).toBe(before);
    expect(show("ActiveState")).toBe("active");
  });

  test("starts again after a crash", { timeout: commandTimeoutMs }, async () => {
    const before = show("MainPID");
    run("kill", "-KILL", before);
    await until(
      "another process is ready",
      async () => {
        const now = show("MainPID");
        return now !== "0" && now !== before && (await isReady());
      },
      commandTimeoutMs,
    );
    expect(show("NRestarts")).toBe("1");
  });

  test("starts again until Redis is there", { timeout: 2 * commandTimeoutMs }, async () => {
    await redis.kill();
    run("systemctl", "restart", "inventory");
    // No limit of starts, whose default is five in ten seconds, ends the attempts.
    expect(show("StartLimitIntervalUSec")).toBe("0");
    const hasTriedAgain = () => Number(show("NRestarts")) >= 2;
    await until("it was started again twice", hasTriedAgain, commandTimeoutMs);
    await redis.start();
    await until("the service is ready", isReady, commandTimeoutMs);
  });

  test("drains when it is stopped", () => {
    run("systemctl", "stop", "inventory");
    expect(show("Result")).toBe("success");
    expect(show("ExecMainStatus")).toBe("0");
    expect(journal()).toContain('"msg":"stopped"');
  });
});
