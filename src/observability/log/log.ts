import { abridge } from "connect-gateway/call";
import { type DestinationStream, type Level, type LogFn, type Logger, pino } from "pino";
import { createLineBudget, type LineBudget } from "./line-budget.ts";
import { readableLine } from "./readable-line.ts";

/** Most lines per second with the same message. Lines about requests have this limit for each client. */
export const maxLinesPerSecond = 5;

/** Longest text of an error, in characters. Its message can quote a request. */
const longestErrorText = 4_000;

/**
 * Most bytes that wait for the reader of standard output. Further lines are dropped. If the process waited instead, a
 * stalled log collector would stop the service.
 */
const maxWaitingBytes = 4 * 1024 * 1024;

/**
 * The longest write, in bytes. Workers share a pipe, and Linux mixes longer writes with those of other processes while the
 * pipe is full (PIPE_BUF). Only lines with long errors are longer.
 */
const maxWriteBytes = { alone: 16_384, worker: 4_096 };

/** Lines wait until they have this many bytes together, because a write for each line takes longer than the line. */
const minWriteBytes = 3_072;

/** The longest that a line waits for others, in milliseconds. */
const maxWaitMs = 100;

/** A log, with what {@link lineWriter} needs of it. */
export interface Log extends Logger {
  readonly budget: LineBudget;
  readonly destination: DestinationStream;
  /** The fields of each line. */
  readonly base: Readonly<Record<string, unknown>> | null;
}

const timestamp = pino.stdTimeFunctions.isoTime;

/**
 * Creates a log that no client can flood. It writes at most 5 lines per second with the same message. The next line has the
 * number of dropped lines in `suppressed`. The level can be changed at any time, by setting `level`.
 *
 * @param worker the number of the process if there are several; each line has it then
 * @param destination standard output if undefined
 */
export function createLog(level: string, worker?: number, destination?: DestinationStream): Log {
  const budget = createLineBudget();
  const output = destination ?? standardOutput(budget, worker === undefined ? "alone" : "worker");
  const base = worker === undefined ? null : { worker };
  const log = pino(
    {
      level,
      base,
      timestamp,
      serializers: { err: errorFields },
      hooks: { logMethod: (args, method) => writeLimited(log, args, method, budget) },
    },
    output,
  );
  return Object.assign(log, { budget, destination: output, base });
}

/**
 * Returns a function that writes lines of one kind, whatever the level and the limit of the log are: ask its budget before
 * each. A line is one call of JSON.stringify, because one for each name and value takes three times as long.
 */
export function lineWriter(log: Log, levelName: Level, msg: string): (fields: object) => void {
  const { destination, base } = log;
  const level = `{"level":${log.levels.values[levelName]}`;
  const bindings = base ? `,${members(base)}` : "";
  const end = `,${members({ msg })}}\n`;
  return (fields) => {
    destination.write(`${level}${timestamp()}${bindings},${members(fields)}${end}`);
  };
}

/** Returns the JSON of an object that is not empty, without its braces. */
function members(values: object): string {
  return JSON.stringify(values).slice(1, -1);
}

/** Writes several lines at once in another thread, as JSON, or text on a terminal, and those that wait at the exit. */
function standardOutput(budget: LineBudget, kind: keyof typeof maxWriteBytes): DestinationStream {
  const output = pino.destination({
    dest: 1,
    sync: false,
    maxLength: maxWaitingBytes,
    maxWrite: maxWriteBytes[kind],
    minLength: minWriteBytes,
    periodicFlush: maxWaitMs,
  });
  output.on("drop", () => {
    budget.dropped += 1;
  });
  output.on("error", () => {
    // A closed pipe or terminal, or a full disk. The next write tries again, but at the exit, sonic-boom would do so forever.
    output.flushSync = () => {};
  });
  if (process.stdout.isTTY) {
    const write = output.write.bind(output);
    output.write = (line) => write(readableLine(line));
  }
  return output;
}

function writeLimited(
  log: Logger,
  args: Parameters<LogFn>,
  write: LogFn,
  budget: LineBudget,
): void {
  const [first, second] = args as unknown[];
  const message = typeof first === "string" ? first : String(second ?? "");
  const suppressed = budget.admit(message, { lines: maxLinesPerSecond }, undefined);
  if (suppressed === undefined) return;
  if (suppressed === 0) {
    // biome-ignore lint/plugin: the arguments of a call
    write.apply(log, args);
    return;
  }
  const fields = typeof first === "object" ? first : {};
  write.call(log, { ...fields, suppressed }, message);
}

/** Returns the fields of an error that are logged. Other fields could contain parts of a request. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack, code } = pino.stdSerializers.err(error);
  return {
    type,
    message: abridge(message, longestErrorText),
    stack: stack && abridge(stack, longestErrorText),
    code,
  };
}
