import { connectionSettings } from "./connection-settings.ts";
import { redisSettings } from "./redis-settings.ts";
import { interfaceSettings, serverSettings } from "./server-settings.ts";
import type { Setting } from "./setting.ts";
import { stockSettings } from "./stock-settings.ts";
import { adminSettings, logSettings, tracingSettings } from "./telemetry-settings.ts";

/** All settings by the name of the environment variable. docs/operator/configuration.md is generated from them. */
export const settings = {
  ...serverSettings,
  ...redisSettings,
  ...connectionSettings,
  ...stockSettings,
  ...interfaceSettings,
  ...logSettings,
  ...adminSettings,
  ...tracingSettings,
};

/** The same settings by the titles of their groups. */
export const settingGroups: Readonly<Record<string, Readonly<Record<string, Setting<unknown>>>>> = {
  "Address, TLS and browsers": serverSettings,
  Redis: redisSettings,
  "Connections and requests": connectionSettings,
  "History and watches": stockSettings,
  "API description": interfaceSettings,
  Logs: logSettings,
  "Metrics and the admin port": adminSettings,
  Tracing: tracingSettings,
};

type Settings = typeof settings;

export type SettingName = keyof Settings;

export type Value<N extends SettingName> =
  | ReturnType<Settings[N]["parse"]>
  | (Settings[N] extends { readonly default: string } ? never : undefined);
