import { type Logger, pino } from "pino";

/** Writes JSON lines to standard output. */
export type Log = Logger;

/** @param level the least severe level that is written */
export function createLog(level: string): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
}
