import { createLog, type Log } from "../../src/observability/log/log.ts";
import type { LogLine } from "./server.ts";

export function captureLog(level = "info"): { readonly log: Log; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const log = createLog(level, undefined, { write: (text) => lines.push(JSON.parse(text)) });
  return { log, lines };
}
