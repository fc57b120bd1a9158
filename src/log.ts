import { type Logger, pino } from "pino";

/** Writes JSON lines to standard output. */
export type Log = Logger;

/**
 * @param level the least severe level that is written
 * @param worker the number of the process, where there are several: each line tells it then
 */
export function createLog(level: string, worker?: number): Log {
  const base = worker === undefined ? null : { worker };
  return pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime });
}
