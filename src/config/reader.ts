import type { Setting } from "./setting.ts";
import { type SettingName, settings, type Value } from "./settings.ts";

/** The environment variables; an empty one counts as not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads a setting. */
export type Read = <N extends SettingName>(name: N) => Value<N>;

/** Makes a function that reads settings. It adds a line to `faults` for each invalid one. */
export function createReader(environment: Variables, faults: string[]): Read {
  return function read<N extends SettingName>(name: N): Value<N> {
    const setting: Setting<unknown> = settings[name];
    const text = environment[name] || setting.default;
    try {
      return (text === undefined ? undefined : setting.parse(text)) as Value<N>;
    } catch (error) {
      const shown = setting.secret ? "not valid" : `"${text}"`;
      faults.push(`${name} is ${shown}: it ${error instanceof Error ? error.message : error}`);
      return undefined as Value<N>;
    }
  };
}
