/** The environment variables; an empty one counts as not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Setting<T> {
  readonly meaning: string;
  /** The valid values, for the reference. */
  readonly bounds: string;
  /** The valid values as a JSON Schema; any text when undefined. */
  readonly schema?: JsonSchema;
  /**
   * Returns the part of a value that may be shown. Absent if the whole value may. Such a setting can be in a file, too:
   * `<name>_FILE` has the path.
   */
  readonly secret?: (text: string) => string;
  /** Whether the value is the path of a file that must be readable. */
  readonly isFile?: true;
  /** Whether an empty value counts. Otherwise it is the same as no value. */
  readonly mayBeEmpty?: true;
  /** The text of the default value; absent when there is no default. */
  readonly default?: string;
  /** Parses the text of the setting. @throws Error that says what the value must be */
  readonly parse: (text: string) => T;
}

/** Makes a setting. @param form what depends on the form of its values, and its default */
export function setting<F extends object>(meaning: string, form: F): { meaning: string } & F {
  return { meaning, ...form };
}
