import { once } from "node:events";
import { join } from "node:path";
import { startChild } from "../harness/child.ts";
import type { AttackOrder, AttackReport } from "./attacker.ts";
import type { Attack, Target } from "./attacks/attack.ts";
import type { HonestOrder, HonestReport } from "./honest.ts";
import { attackerPatience } from "./settings.ts";

/** Runs a program of this folder as a process with a message channel. */
function run(program: string, niceness: number) {
  const file = join(import.meta.dirname, program);
  return startChild(["nice", "-n", String(niceness), process.execPath, file], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  }).child;
}

/**
 * Runs one attack in a process of the lowest priority, so that it takes no CPU time from the server.
 *
 * @returns the violated expectations
 */
export async function attackFromProcess(
  { name, seconds }: Attack,
  target: Target,
): Promise<readonly string[]> {
  const child = run("attacker.ts", 19);
  const order: AttackOrder = { name, target };
  child.send(order);
  const late = setTimeout(() => child.kill("SIGKILL"), (attackerPatience * seconds + 15) * 1_000);
  let report: AttackReport | undefined;
  child.once("message", (message: AttackReport) => {
    report = message;
  });
  await once(child, "exit");
  clearTimeout(late);
  return report?.findings ?? ["the attacker process exited without a report"];
}

export interface HonestClients {
  /** Discards all measurements and begins a new period. */
  begin(): void;
  /** Waits until all requests since `begin` have finished, and reports on them. */
  end(): Promise<HonestReport>;
  stop(): Promise<void>;
}

/** A server that does nothing, in a process of the server's priority. */
export interface Control {
  readonly port: number;
  stop(): void;
}

export async function startControl(): Promise<Control> {
  const child = run("control.ts", 0);
  const [port] = (await once(child, "message")) as [number];
  return { port, stop: () => child.disconnect() };
}

export function startHonestClients(port: number, key: string, controlPort: number): HonestClients {
  const child = run("honest.ts", 0);
  const send = (order: HonestOrder) => void child.send(order);
  send({ kind: "start", port, key, controlPort });
  return {
    begin: () => send({ kind: "begin" }),
    async end() {
      const reported = once(child, "message");
      send({ kind: "end" });
      const [report] = (await reported) as [HonestReport];
      return report;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, "exit");
      child.disconnect();
      await exit;
    },
  };
}
