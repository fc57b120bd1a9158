import { type DestinationStream, type LogFn, type Logger, pino } from "pino";

/** Writes JSON lines. */
export type Log = Logger;

/** The number of the level in pino. */
const warn = 40;

/** Most lines per second with the same message, at level warn and above. */
const maxLinesPerSecond = 5;

/** Most messages with their own count. All others share one count. */
const maxMessages = 100;

/** Longest text of an error, in characters. Its message can quote a request. */
const longestErrorText = 4_000;

/**
 * Creates a log that no client can flood. It writes at most 5 lines per second of each warning and error. The next line
 * has the number of dropped lines in `suppressed`.
 *
 * @param level the least severe level that is written
 * @param worker the number of the process if there are several; each line has it then
 * @param destination standard output if undefined
 */
export function createLog(level: string, worker?: number, destination?: DestinationStream): Log {
  const admit = createLineLimit();
  return pino(
    {
      level,
      base: worker === undefined ? null : { worker },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: errorFields },
      hooks: {
        logMethod(args, method, severity) {
          if (severity < warn) method.apply(this, args);
          else writeLimited(this, args, method, admit);
        },
      },
    },
    destination ?? pino.destination(1),
  );
}

/** @returns the number of lines with this message that were dropped before; undefined to drop this line too */
type LineLimit = (message: string) => number | undefined;

function createLineLimit(): LineLimit {
  const seconds = new Map<string, { start: number; lines: number; leftOut: number }>();
  return (message) => {
    const now = performance.now();
    const key = seconds.has(message) || seconds.size < maxMessages ? message : "";
    const second = seconds.getOrInsertComputed(key, () => ({ start: now, lines: 0, leftOut: 0 }));
    if (now - second.start >= 1_000) {
      second.start = now;
      second.lines = 0;
    }
    if (second.lines >= maxLinesPerSecond) {
      second.leftOut += 1;
      return undefined;
    }
    second.lines += 1;
    const { leftOut } = second;
    second.leftOut = 0;
    return leftOut;
  };
}

function writeLimited(log: Log, args: Parameters<LogFn>, write: LogFn, admit: LineLimit): void {
  const [first, second] = args as unknown[];
  const message = typeof first === "string" ? first : String(second ?? "");
  const suppressed = admit(message);
  if (suppressed === undefined) return;
  if (suppressed === 0) {
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
  return { type, message: abridge(message), stack: abridge(stack), code };
}

function abridge(text: string | undefined): string | undefined {
  return text !== undefined && text.length > longestErrorText
    ? `${text.slice(0, longestErrorText)}…`
    : text;
}
