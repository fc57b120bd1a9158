import { connectionSettings } from "./connection-settings.ts";
import { interfaceSettings } from "./interface-settings.ts";
import { redisSettings } from "./redis-settings.ts";
import { serverSettings } from "./server-settings.ts";
import { stockSettings } from "./stock-settings.ts";
import { telemetrySettings } from "./telemetry-settings.ts";
import { tracingSettings } from "./tracing-settings.ts";

/** All settings by the name of the environment variable. docs/configuration.md is generated from them. */
export const settings = {
  ...serverSettings,
  ...redisSettings,
  ...connectionSettings,
  ...stockSettings,
  ...interfaceSettings,
  ...telemetrySettings,
  ...tracingSettings,
};

type Settings = typeof settings;

/** The name of a setting. */
export type SettingName = keyof Settings;

/** The parsed value of a setting. */
export type Value<N extends SettingName> =
  | ReturnType<Settings[N]["parse"]>
  | (Settings[N]["default"] extends undefined ? undefined : never);
