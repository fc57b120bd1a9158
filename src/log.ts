import { type DestinationStream, type LogFn, type Logger, pino } from "pino";
import { createLineBudget, type LineBudget } from "./line-budget.ts";

/** Writes JSON lines. */
export type Log = Logger;

/** Most lines per second with the same message. */
export const maxLinesPerSecond = 5;

/** Longest text of an error, in characters. Its message can quote a request. */
const longestErrorText = 4_000;

/**
 * Most bytes that wait for the reader of standard output. Further lines are dropped. If the process waited instead, a
 * stalled log collector would stop the service.
 */
const maxWaitingBytes = 4 * 1024 * 1024;

/** The budgets of logs. */
const budgets = new WeakMap<Log, LineBudget>();

/** Logs whose callers keep the budget themselves. */
const unlimited = new WeakSet<Log>();

/**
 * Creates a log that no client can flood. It writes at most 5 lines per second with the same message. The next line
 * has the number of dropped lines in `suppressed`. The level can be changed at any time, by setting `level`.
 *
 * @param level the least severe level that is written
 * @param worker the number of the process if there are several; each line has it then
 * @param destination standard output if undefined
 */
export function createLog(level: string, worker?: number, destination?: DestinationStream): Log {
  const budget = createLineBudget();
  const log = pino(
    {
      level,
      base: worker === undefined ? null : { worker },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: errorFields },
      hooks: {
        logMethod(args, method) {
          if (unlimited.has(this)) method.apply(this, args);
          else writeLimited(this, args, method, budget);
        },
      },
    },
    destination ?? standardOutput(budget),
  );
  budgets.set(log, budget);
  return log;
}

/**
 * Returns a log with the same destination that writes every line, whatever the level and the limit of the log are. The
 * caller must ask {@link lineBudget} before each line.
 */
export function withoutLimit(log: Log): Log {
  const child = log.child({}, { level: "trace" });
  unlimited.add(child);
  return child;
}

/** Returns the budget of a log that {@link createLog} has created. */
export function lineBudget(log: Log): LineBudget {
  return budgets.getOrInsertComputed(log, createLineBudget);
}

/** Returns the number of lines that a log has dropped, because of a limit or because nothing read them. */
export function droppedLines(log: Log): number {
  return lineBudget(log).dropped;
}

/** Writes in another thread. Lines that are logged in the meantime are written together. */
function standardOutput(budget: LineBudget): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, maxLength: maxWaitingBytes });
  output.on("drop", () => budget.addDropped(1));
  return output;
}

function writeLimited(log: Log, args: Parameters<LogFn>, write: LogFn, budget: LineBudget): void {
  const [first, second] = args as unknown[];
  const message = typeof first === "string" ? first : String(second ?? "");
  const suppressed = budget.admit(message, maxLinesPerSecond);
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
