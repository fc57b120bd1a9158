/** Something that must not happen. */
export interface Fault {
  /** Its class: `crash`, `500`, `hang`, … */
  readonly kind: string;
  /** What distinguishes it from others of its class: a line of a stack, an operation. */
  readonly signature: string;
}

/** Distinguishes faults. */
export function keyOf({ kind, signature }: Fault): string {
  return `${kind} ${signature}`;
}

/** A fault, and the case that shows it. */
export interface Finding extends Fault {
  readonly name: string;
  readonly seed: number;
  readonly number: number;
  /** The first of the cases that are needed, when that one alone does not show it. */
  readonly from?: number;
  /** The mutations that are needed; all when empty. */
  readonly only: readonly number[];
}

/** Prints a finding, with the command that shows it again. */
export function print(finding: Finding): void {
  const { kind, name, signature } = finding;
  process.stdout.write(`FINDING ${kind}: ${name}\n  ${signature}\n  ${replayCommand(finding)}\n`);
}

/** What to type to see it again. */
function replayCommand({ seed, from, number, only }: Finding): string {
  const cases = from === undefined ? number : `${from}-${number}`;
  return `npm run fuzz -- --seed ${seed} --case ${cases}${only.length > 0 ? ` --only ${only.join()}` : ""}`;
}

/** The error of a line of the log that reports a bug, with the first line of its stack that is in src. */
export function bugOf(line: string): string {
  const { type = "Error", message = "", stack = "" } = errorOf(line);
  const place =
    /\/src\/[^\s)]+/.exec(stack)?.[0] ??
    /node_modules\/[^\s)]+/.exec(stack)?.[0] ??
    /\((node:[^)]+)\)/.exec(stack)?.[1];
  return `${type}: ${message.slice(0, 120)} at ${place ?? "?"}`;
}

function errorOf(line: string): { type?: string; message?: string; stack?: string } {
  try {
    return (JSON.parse(line) as { err?: object }).err ?? {};
  } catch {
    return { message: line.slice(0, 200) };
  }
}

/** The uncaught error at the end of the output, as node prints it, with its first line in src. */
export function crashOf(tail: readonly string[]): string {
  const lines = tail.filter((line) => !line.startsWith("{"));
  const error = lines.findLast((line) => /^(?:[\w.]*Error|FATAL ERROR)\b/.test(line)) ?? "";
  const place = lines.find((line) => /\/src\//.test(line)) ?? "";
  return `${error.slice(0, 160)} ${place.trim().replace(/\S*\/src\//, "src/")}`;
}
