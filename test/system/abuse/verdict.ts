import type { Attack } from "./attacks/attack.ts";
import type { Failure } from "./failures.ts";
import type { HonestReport, Results } from "./honest.ts";
import type { bounds, Machine } from "./settings.ts";

/** New connections that were opened during an attack, one after another. */
export interface Probes {
  readonly longestMs: number;
  /** Kinds of responses that were not 200. */
  readonly failures: readonly Failure[];
}

/** What was measured during an attack. */
export interface Measured {
  readonly honest: HonestReport;
  /** The honest clients without an attack. */
  readonly unloaded: Results;
  readonly livez: Probes;
  readonly seconds: number;
  /** Highest resident memory of the server, in MB. */
  readonly peakResident: number;
  /** What the server held before the attack, in MB more than after its start. */
  readonly heldMegabytes: number;
  readonly logBytes: number;
  /** The lines of the log that report a bug. */
  readonly bugs: readonly string[];
  /** How the server exited; undefined if it runs. */
  readonly exit: string | undefined;
  /** The findings of the attack itself. */
  readonly own: readonly string[];
}

export interface Verdict extends Pick<Measured, "seconds" | "peakResident" | "logBytes"> {
  readonly attack: Attack;
  readonly honest: HonestReport;
  /** Honest p99 divided by the unloaded p99. */
  readonly ratio: number;
  /** Violated expectations; empty if the service withstood the attack. */
  readonly findings: readonly string[];
}

/** Failures of honest requests that a busy machine can cause. */
const lateFailure =
  /^(?!the watch).*(?:deadline|timed? ?out|aborted|ECONNRESET|EPIPE|no response within \d|503 |\[unavailable\])/;

/**
 * Whether the control was served. If not, the machine is too busy, and nothing that was measured says anything about
 * the server.
 */
export function isMeasurable({ control }: HonestReport, { leastSuccess }: typeof bounds): boolean {
  return control.calls > 0 && control.succeeded >= leastSuccess * control.calls;
}

/** Compares what was measured with the bounds. */
export function judge(
  attack: Attack,
  measured: Measured,
  limits: typeof bounds,
  machine: Machine,
): Verdict {
  const { honest, unloaded, livez, seconds, peakResident, logBytes } = measured;
  const findings = [
    ...(measured.exit === undefined ? [] : [`the server exited: ${measured.exit}`]),
    ...measured.own,
    ...(isMeasurable(honest, limits)
      ? []
      : [`the machine is too busy: of the control, ${share(honest.control)}`]),
    ...successFindings(honest, limits, machine),
    ...latencyFindings(attack, honest, unloaded, limits, machine),
    ...livez.failures.map((failure) => `/livez: ${textOf(failure)}`),
    ...over("/livez took", livez.longestMs, mostLivezMs(honest, limits, machine), "ms"),
    ...over(
      "RSS reached",
      peakResident,
      Math.max(limits.residentMegabytes, attack.residentMegabytes ?? 0) + measured.heldMegabytes,
      "MB",
    ),
    ...over(
      "the server logged",
      logBytes,
      Math.max(limits.logBytes, limits.logBytesPerSecond * seconds),
      "bytes",
    ),
    ...measured.bugs.slice(0, 1).map((line) => `the log reports a bug: ${line.slice(0, 400)}`),
  ];
  const ratio = honest.p99 / unloaded.p99;
  return { attack, honest, ratio, seconds, peakResident, logBytes, findings };
}

/** All honest calls must succeed; on a shared machine, nearly all, and the others must fail as calls do that are late. */
function successFindings(
  honest: HonestReport,
  { leastSuccess }: typeof bounds,
  machine: Machine,
): string[] {
  const isEnough = honest.calls > 0 && honest.succeeded >= leastSuccess * honest.calls;
  return [
    ...(isEnough ? [] : [`honest clients: ${share(honest)}`]),
    ...honest.failures
      .filter(({ text }) => machine === "own" || !isEnough || !lateFailure.test(text))
      .map((failure) => `honest ${textOf(failure)}`),
  ];
}

/**
 * Compares the latency with that of the control, which shows what the machine adds, or with that without an attack. On a
 * shared machine, the slowest calls depend on what else runs there, so half of the calls must be in time.
 */
function latencyFindings(
  { burstMs = 0 }: Attack,
  honest: HonestReport,
  unloaded: Results,
  { latencyFactor, latencyFloorMs }: typeof bounds,
  machine: Machine,
): string[] {
  const usual = Math.max(unloaded.p99, honest.control.p99);
  const most = Math.max(latencyFactor * usual + burstMs, latencyFloorMs);
  return machine === "own"
    ? over("honest p99 was", honest.p99, most, "ms")
    : over("honest p50 was", honest.p50, most, "ms");
}

function mostLivezMs(
  { control }: HonestReport,
  { livezMs, livezFactor }: typeof bounds,
  machine: Machine,
): number {
  return machine === "own" ? livezMs : Math.max(livezMs, livezFactor * control.p99);
}

function over(what: string, value: number, most: number, unit: string): string[] {
  return value > most
    ? [`${what} ${Math.round(value)} ${unit} (limit ${Math.round(most)} ${unit})`]
    : [];
}

function share({ calls, succeeded }: Results): string {
  return `${succeeded} of ${calls} calls succeeded`;
}

function textOf({ text, count }: Failure): string {
  return `${text} (${count} times)`;
}
