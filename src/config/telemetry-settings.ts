import { oneOf } from "./parsers.ts";
import type { Setting } from "./setting.ts";

/** What the service reports about itself. */
export const telemetrySettings = {
  LOG_LEVEL: {
    meaning:
      "Least severe level that is logged, as JSON lines on standard output. `debug` logs every request.",
    default: "info",
    ...oneOf("silent", "error", "warn", "info", "debug"),
  },
} as const satisfies Record<string, Setting<unknown>>;
