import type { Setting } from "./setting.ts";
import { type SettingName, settings, type Value } from "./settings.ts";
import type { Sources } from "./sources.ts";

/** Reads a setting. */
export type Read = <N extends SettingName>(name: N) => Value<N>;

/** Makes a function that reads settings. It adds a line to `faults` for each invalid one. */
export function createReader(sources: Sources, faults: string[]): Read {
  return function read<N extends SettingName>(name: N): Value<N> {
    const setting: Setting<unknown> = settings[name];
    const { text, file } = sources.textOf(name);
    try {
      return (text === undefined ? undefined : setting.parse(text)) as Value<N>;
    } catch (error) {
      const place = file === undefined ? "" : ` in ${file}`;
      const shown = setting.secret ? "not valid" : `"${text}"`;
      faults.push(
        `${name}${place} is ${shown}: it ${error instanceof Error ? error.message : error}`,
      );
      return undefined as Value<N>;
    }
  };
}
