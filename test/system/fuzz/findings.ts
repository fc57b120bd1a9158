/** A fault: something that must not happen. */
export interface Fault {
  /** Its class: `crash`, `500`, `hang`, … */
  readonly kind: string;
  /** Distinguishes the fault from others of its class: a line of a stack trace, or an operation. */
  readonly signature: string;
}

/** Two faults with the same key are the same fault. */
export function keyOf({ kind, signature }: Fault): string {
  return `${kind} ${signature}`;
}

/** A fault, and the case that causes it. */
export interface Finding extends Fault {
  readonly name: string;
  readonly seed: number;
  readonly number: number;
  /** The number of the first needed case, if one case alone does not cause the fault. */
  readonly from?: number;
}

/** Prints a finding, with the command that reproduces it. */
export function print(finding: Finding): void {
  const { kind, name, signature } = finding;
  process.stdout.write(
    `FINDING ${kind}: ${name}\n  ${signature}\n  To reproduce: ${replayCommand(finding)}\n`,
  );
}

/** The command that reproduces a finding. */
function replayCommand({ seed, from, number }: Finding): string {
  const cases = from === undefined ? number : `${from}-${number}`;
  return `npm run task fuzz -- --seed ${seed} --case ${cases}`;
}

/** Summarizes a log line that reports a bug: the error, and the first line of its stack trace in src. */
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

/** The uncaught error that node printed last, with the first line of its stack trace in src. */
export function crashOf(tail: readonly string[]): string {
  const lines = tail.filter((line) => !line.startsWith("{"));
  const error = lines.findLast((line) => /^(?:[\w.]*Error|FATAL ERROR)\b/.test(line)) ?? "";
  const place = lines.find((line) => /\/src\//.test(line)) ?? "";
  return `${error.slice(0, 160)} ${place.trim().replace(/\S*\/src\//, "src/")}`;
}
