import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { listen } from "../../support/listen.ts";

const cli = join(import.meta.dirname, "../../../src/cli/main.ts");
const commandTimeoutMs = 60_000;

/** What `systemctl` can do with a unit. */
export interface Unit {
  readonly restart?: () => Promise<void>;
  readonly reload?: () => void | Promise<void>;
  /** The process id for `systemctl show`. */
  readonly pid?: () => number;
}

export interface Shell {
  /** Runs a block of commands, and stops at the first that fails. @throws Error with the output if one fails */
  type(commands: string): Promise<void>;
  close(): void;
}

/**
 * Opens a shell in which `systemctl` and `journalctl` act on the processes of the test, because a machine for tests need
 * not have systemd. `inventory` is the command line of this repository. All other commands are those of the machine.
 *
 * @param environment the variables of the commands, which may still change
 */
export async function openShell(
  directory: string,
  units: Readonly<Record<string, Unit>>,
  environment: Readonly<Record<string, string>>,
): Promise<Shell> {
  const server = createServer(async (request, response) => {
    try {
      response.end(await systemctl((await text(request)).split(" ")));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  const url = await listen(server);

  /** Does what systemctl would do. @returns what it would print */
  async function systemctl(args: readonly string[]): Promise<string> {
    const [verb = ""] = args;
    const unit = units[args.at(-1) ?? ""];
    if (!unit) throw new Error(`there is no unit ${args.at(-1)}`);
    if (verb === "restart" && unit.restart) await unit.restart();
    else if (verb === "reload" && unit.reload) await unit.reload();
    else if (verb === "show") return `${unit.pid?.()}\n`;
    else if (verb !== "status") throw new Error(`systemctl ${args.join(" ")} is not possible`);
    return "";
  }

  const bin = join(directory, "bin");
  mkdirSync(bin);
  const commands = {
    systemctl: `exec curl -sS --fail-with-body --data-binary "$*" ${url}/`,
    journalctl: 'exec cat "$INVENTORY_LOG"',
    inventory: `exec '${process.execPath}' '${cli}' "$@"`,
  };
  for (const [name, line] of Object.entries(commands)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const path = `${bin}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`;

  return {
    type: (block) =>
      new Promise((resolve, reject) => {
        const args = ["--norc", "-euo", "pipefail", "-c", block];
        const env = { ...environment, PATH: path };
        execFile("bash", args, { env, timeout: commandTimeoutMs }, (error, stdout, stderr) => {
          if (!error) return resolve();
          reject(new Error(`these commands failed (${error.code}):\n${block}\n${stdout}${stderr}`));
        });
      }),
    close: () => void server.close(),
  };
}
