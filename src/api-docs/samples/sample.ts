/** A call in a language. Tests put the bodies of many samples into one program. */
export interface Sample {
  /** Lines that import what the body uses. */
  readonly imports: readonly string[];
  /** Statements that use `client` and print the response. */
  readonly body: string;
}
