import { type Config, configWarnings, readCheckedConfig } from "../config/config.ts";
import type { Variables } from "../config/setting.ts";
import type { SettingName } from "../config/settings.ts";
import { type EffectiveSetting, effectiveSettings } from "../config/sources.ts";
import { writeLine } from "../observability/log/lines.ts";
import type { Log } from "../observability/log/log.ts";

/** Settings that can change while the process runs. */
const reloadable: ReadonlySet<SettingName> = new Set(["LOG_LEVEL", "TLS_CERT", "TLS_KEY"]);

export type LoadedSettings = ReturnType<typeof loadSettings>;

/** Remembers the settings of the start, and can reload them. @param environment at the start; only files can change later */
export function loadSettings(environment: Variables, log: Log) {
  let inEffect = effectiveSettings(environment);

  /** Reads settings and files again, and sets the log's level. If anything is invalid, logs one error and returns undefined. */
  function reload(): Config | undefined {
    let config: Config;
    try {
      config = readCheckedConfig(environment);
    } catch (error) {
      const faults = error instanceof Error ? error.message.split("\n") : [error];
      writeLine(log, "notReloaded", { faults });
      return undefined;
    }
    log.level = config.logLevel;
    const restartFor: SettingName[] = [];
    const now = new Map(effectiveSettings(environment).map((each) => [each.name, each]));
    inEffect = inEffect.map((before) => {
      const after = now.get(before.name) ?? before;
      if (!needsRestart(before, after)) return after;
      restartFor.push(before.name);
      return before;
    });
    if (restartFor.length > 0) writeLine(log, "restartNeeded", { settings: restartFor });
    return config;
  }

  return {
    /** The settings as this process uses them. Their files may have changed since. */
    get inEffect(): readonly EffectiveSetting[] {
      return inEffect;
    },
    /** A line for each name in the environment that has no effect, but may be meant for the service. */
    warnings: configWarnings(environment),
    reload,
  };
}

/** Returns whether a setting has changed, and only a restart can apply the change. */
function needsRestart(before: EffectiveSetting, now: EffectiveSetting): boolean {
  if (before.value === now.value) return false;
  // TLS files can be replaced by others, but TLS cannot be turned on or off.
  return !reloadable.has(now.name) || (now.name !== "LOG_LEVEL" && !(before.value && now.value));
}
