import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "../harness/child.ts";
import { newDirectory } from "../harness/directory.ts";

const build = join(import.meta.dirname, "../../../deploy/image/build.sh");

/** The name of a container, unique on this machine. */
let containers = 0;

/**
 * Builds the image.
 *
 * @param folder receives the OCI image layout
 * @param script deploy/image/build.sh of a clone of the project
 * @param umask of the shell, which must not change the image
 * @returns the digest of the image
 */
export function buildImage(folder: string, script = build, umask = "022"): string {
  return execFileSync("sh", ["-c", `umask ${umask}; exec "$0" "$1"`, script, folder], {
    env: {
      ...process.env,
      NODE: process.execPath,
      SOURCE_DATE_EPOCH: "1700000000",
      REVISION: "test",
    },
    encoding: "utf8",
  }).trim();
}

export interface CommandResult {
  readonly code: number;
  readonly output: string;
}

export interface Container {
  /** The lines that it has printed so far. */
  readonly lines: readonly string[];
  exec(...command: readonly string[]): CommandResult;
  /** Sends SIGTERM. @returns the exit code */
  stop(): Promise<number | null>;
  /** Ends the container at once. */
  kill(): void;
}

/** An image that was unpacked to be run. */
export interface Bundle {
  /** The folder that becomes the root of containers. */
  readonly root: string;
  start(environment: Readonly<Record<string, string>>): Container;
}

/**
 * Unpacks an image. Its containers run as Kubernetes' restricted security context wants: read-only root, no capability,
 * no new privileges. They share the network of this machine.
 */
export function unpack(folder: string): Bundle {
  const work = newDirectory();
  const bundle = join(work, "bundle");
  execFileSync("umoci", ["unpack", "--image", `${folder}:latest`, bundle], { stdio: "ignore" });
  const template = readFileSync(join(bundle, "config.json"), "utf8");
  return {
    root: join(bundle, "rootfs"),
    start(environment) {
      writeFileSync(join(bundle, "config.json"), restricted(template, environment));
      return startContainer(work, bundle);
    },
  };
}

function restricted(template: string, environment: Readonly<Record<string, string>>): string {
  const config = JSON.parse(template);
  const { process: main, linux } = config;
  main.terminal = false;
  main.capabilities = {};
  main.noNewPrivileges = true;
  main.rlimits = [{ type: "RLIMIT_NOFILE", soft: 16_384, hard: 16_384 }];
  main.env.push(...Object.entries(environment).map(([name, value]) => `${name}=${value}`));
  config.root.readonly = true;
  linux.namespaces = linux.namespaces.filter(({ type }: { type: string }) => type !== "network");
  return JSON.stringify(config);
}

function startContainer(work: string, bundle: string): Container {
  containers += 1;
  const name = `inventory-${process.pid}-${containers}`;
  const options = ["--root", join(work, "crun"), "--cgroup-manager=disabled"];
  // crun refuses to run on a machine that has both versions of control groups. Only crun sees that one is gone.
  const script = 'umount /sys/fs/cgroup/unified 2>/dev/null; exec crun "$@"';
  const lines: string[] = [];
  const child = startChild(
    ["unshare", "--mount", "sh", "-c", script, "sh", ...options, "run", "--bundle", bundle, name],
    { onLine: (line) => lines.push(line) },
  );
  // SIGKILL of crun would leave its container running.
  const kill = () =>
    void execFileSync("crun", [...options, "delete", "--force", name], { stdio: "ignore" });
  process.once("exit", kill);
  return {
    lines,
    exec(...command) {
      const args = [...options, "exec", "--cwd", "/app", "--user", "65532:65532", name];
      const { status, stdout, stderr } = spawnSync("crun", [...args, ...command], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
      return { code: status ?? -1, output: status === 0 ? stdout : `${stdout}${stderr}` };
    },
    async stop() {
      return (await child.end("SIGTERM")).code;
    },
    kill() {
      process.off("exit", kill);
      kill();
    },
  };
}
