import type { Setting, Variables } from "./setting.ts";
import { type SettingName, settings } from "./settings.ts";
import { openSources, type SettingText } from "./sources.ts";

/** A setting as it is in effect, without secrets. */
export interface EffectiveSetting {
  readonly name: SettingName;
  /** Null when the setting has no value. */
  readonly value: string | null;
  readonly source: SettingText["source"];
  /** The path when the source is a file. */
  readonly file?: string;
}

/**
 * Returns all settings with their values and sources. Passwords are replaced by `***`. Invalid values are returned as
 * they are set.
 */
export function effectiveSettings(environment: Variables): EffectiveSetting[] {
  const sources = openSources(environment, []);
  return Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
    const { text, ...place } = sources.textOf(name as SettingName);
    const value = text === undefined ? null : (setting.secret?.(text) ?? text);
    return { name: name as SettingName, value, ...place };
  });
}
