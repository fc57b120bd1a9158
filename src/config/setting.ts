/** Parses the text of a setting. @throws Error that says what the value must be */
export type Parser<T> = (text: string) => T;

/** A part of a JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Setting<T> {
  /** The meaning of the setting, for the reference. */
  readonly meaning: string;
  /** The valid values, for the reference. */
  readonly bounds: string;
  /** The valid values as a JSON Schema; any text when undefined. */
  readonly schema?: JsonSchema;
  /**
   * Whether the value may contain a password, so that no message and no output shows it. Such a setting may be in a
   * file, too: `<name>_FILE` has the path.
   */
  readonly secret?: true;
  /** Whether the value is the path of a file that must be readable. */
  readonly isFile?: true;
  /** Whether an empty value counts. Otherwise it is the same as no value. */
  readonly mayBeEmpty?: true;
  /** Returns the part of a secret value that may be shown. Without it, nothing is shown. */
  readonly redact?: (text: string) => string;
  /** The text of the default value; absent when there is no default. */
  readonly default?: string;
  /** Returns the text of a default that depends on which settings are set. */
  readonly derived?: (isSet: (name: string) => boolean) => string;
  readonly parse: Parser<T>;
}
