/** Parses the text of a setting. @throws Error that says what the value must be */
export type Parser<T> = (text: string) => T;

export interface Setting<T> {
  /** The meaning of the setting, for the reference. */
  readonly meaning: string;
  /** The valid values, for the reference. */
  readonly bounds: string;
  /** Whether the value may contain a password, so that no message shows it. */
  readonly secret?: true;
  /** The text of the default value; undefined when there is no default. */
  readonly default: string | undefined;
  readonly parse: Parser<T>;
}
