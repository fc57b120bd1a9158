import type { Setting } from "../../../src/config/setting.ts";
import { settings } from "../../../src/config/settings.ts";

/** The names that the service reads from its environment: settings, and files of secret settings. */
export const settingNames: ReadonlySet<string> = new Set(
  Object.entries<Setting<unknown>>(settings).flatMap(([name, { secret }]) =>
    secret ? [name, `${name}_FILE`] : [name],
  ),
);
