import { type EffectiveSetting, effectiveSettings } from "./config/effective.ts";
import type { SettingName } from "./config/settings.ts";
import type { Variables } from "./config/sources.ts";
import { type Config, readCheckedConfig } from "./config.ts";
import { writeLine } from "./log/lines.ts";
import type { Log } from "./log.ts";

/** Settings that can change while the process runs. */
const reloadable: ReadonlySet<SettingName> = new Set(["LOG_LEVEL", "TLS_CERT", "TLS_KEY"]);

/**
 * Returns a function that reads the settings and their files again, and sets the log's level. If anything is invalid,
 * it changes nothing and logs one error. Call it on SIGHUP.
 *
 * @param environment the environment variables at start. Only files can change later
 * @returns a function that returns the new configuration, or undefined when nothing may change
 */
export function createReload(environment: Variables, log: Log): () => Config | undefined {
  const atStart = new Map(effectiveSettings(environment).map((each) => [each.name, each]));
  return () => {
    let config: Config;
    try {
      config = readCheckedConfig(environment);
    } catch (error) {
      const faults = error instanceof Error ? error.message.split("\n") : [error];
      writeLine(log, "notReloaded", { faults });
      return undefined;
    }
    log.level = config.logLevel;
    const restartFor = effectiveSettings(environment)
      .filter((each) => needsRestart(atStart.get(each.name), each))
      .map(({ name }) => name);
    if (restartFor.length > 0) {
      writeLine(log, "restartNeeded", { settings: restartFor });
    }
    return config;
  };
}

/** Whether a setting is no longer that of the start, and cannot change while the process runs. */
function needsRestart(before: EffectiveSetting | undefined, now: EffectiveSetting): boolean {
  if (before?.value === now.value) return false;
  // TLS files can be replaced by others, but TLS cannot be turned on or off.
  return !reloadable.has(now.name) || (now.name !== "LOG_LEVEL" && !(before?.value && now.value));
}
