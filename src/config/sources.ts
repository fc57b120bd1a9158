import { memoize } from "connect-gateway/call";
import { append } from "../common/append.ts";
import { parseEnvironmentFile } from "./environment-file.ts";
import { unknownNames } from "./names.ts";
import type { Setting, Variables } from "./setting.ts";
import { type SettingName, settings, type Value } from "./settings.ts";
import { readTextFile } from "./text-file.ts";

/** The text of a setting, and where it is set. */
export interface SettingText {
  /** Undefined when the setting has no value. */
  readonly text: string | undefined;
  readonly source: "default" | "environment" | "file";
  /** The path when the source is a file. */
  readonly file?: string;
}

export interface Sources {
  /** Returns the text of a setting. Adds a line to `faults` when its file cannot be read. */
  textOf(name: SettingName): SettingText;
  /** A line for each name that has no effect, but may be meant for the service. */
  readonly warnings: readonly string[];
  reopen(faults: string[]): Sources;
}

/**
 * Finds the settings: in the environment, then in the file CONFIG_FILE, then the defaults. A secret may be in a file of
 * its own, whose path is in `<name>_FILE`.
 *
 * @param faults gets a line for each file that cannot be read, and each unknown name
 */
export function openSources(environment: Variables, faults: string[]): Sources {
  const own = Object.fromEntries(
    Object.entries(environment).filter(([name, text]) => hasValue(name, text)),
  );
  const configFile = own.CONFIG_FILE;
  const ofFile = configFile === undefined ? new Map() : readConfigFile(configFile, faults);
  const unknown = unknownNames(own, ofFile, configFile);
  append(faults, unknown.faults);

  function find(name: string): SettingText | undefined {
    const text = own[name];
    if (text !== undefined) return { text, source: "environment" };
    const inFile = ofFile.get(name);
    if (inFile === undefined || configFile === undefined) return undefined;
    return { text: inFile, source: "file", file: configFile };
  }

  function textOf(name: SettingName): SettingText {
    const setting: Setting<unknown> = settings[name];
    const direct = find(name);
    const path = setting.secret && find(`${name}_FILE`)?.text;
    if (path === undefined) return direct ?? { text: setting.default, source: "default" };
    if (direct !== undefined) {
      faults.push(`${name} and ${name}_FILE are both set: remove one of them`);
      return direct;
    }
    return { text: secretOf(name, path, faults), source: "file", file: path };
  }

  // Each fault is reported once, however often a setting is read.
  return {
    textOf: memoize(textOf, Number.POSITIVE_INFINITY),
    warnings: unknown.warnings,
    reopen: (newFaults) => openSources(environment, newFaults),
  };
}

function hasValue(name: string, text: string | undefined): boolean {
  const known: Readonly<Record<string, Setting<unknown>>> = settings;
  return text !== undefined && (text !== "" || known[name]?.mayBeEmpty === true);
}

function readConfigFile(path: string, faults: string[]): ReadonlyMap<string, string> {
  const text = orFault(faults, () => readTextFile("CONFIG_FILE", path)) ?? "";
  const values = parseEnvironmentFile(text, path, faults);
  return new Map([...values].filter(([name, value]) => hasValue(name, value)));
}

/** Reads a secret. Editors and `echo` end a file with a line break, which does not count. */
function secretOf(name: string, path: string, faults: string[]): string | undefined {
  const text = orFault(faults, () => readTextFile(`${name}_FILE`, path))?.replace(/\r?\n$/, "");
  if (text === "") faults.push(`${name}_FILE: ${path} is empty. Write the value of ${name} to it`);
  return text || undefined;
}

/** Returns the result of a function. If it throws, adds the message of the error to `faults`. */
export function orFault<T>(faults: string[], use: () => T): T | undefined {
  try {
    return use();
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

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

/** A setting as it is in effect, without secrets. */
export type EffectiveSetting = ReturnType<typeof effectiveSettings>[number];

/**
 * Returns all settings with their values and sources, also invalid ones. The value is null when there is none. Passwords are
 * replaced by `***`.
 */
export function effectiveSettings(environment: Variables) {
  const sources = openSources(environment, []);
  return Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
    const { text, ...place } = sources.textOf(name as SettingName);
    const value = text === undefined ? null : (setting.secret?.(text) ?? text);
    return { name: name as SettingName, value, ...place };
  });
}
