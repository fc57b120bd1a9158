import type { DescEnum, DescField, DescMessage, DescMethod } from "@bufbuild/protobuf";

/** How a language calls methods with its client package. Statements use `client` and print the response. */
export interface Language {
  /** Lines that every sample imports. */
  readonly imports: readonly string[];
  /** The statements for GetUsage. The clients have a function `usage` for it. */
  readonly usage: string;
  /** The statements for WatchInventory. The clients have a function `watch` for it. */
  readonly watch: string;
  /** Returns the statements for another method. @param request the request as an expression */
  readonly call: (method: DescMethod, request: string) => string;
  /** Returns the writer of a request. @param imports receives lines that import what the request uses */
  readonly writerWith: (imports: Set<string>) => Writer;
  /** Writes a sample as a complete program. */
  readonly program: (sample: Sample) => string;
}

interface Sample {
  /** Lines that import what the body uses. */
  readonly imports: readonly string[];
  /** Statements that use `client` and print the response. */
  readonly body: string;
}

/** How a language writes the values of a message. */
export interface Writer {
  readonly integer: (value: bigint, field: DescField) => string;
  readonly boolean: (value: boolean) => string;
  readonly enumValue: (desc: DescEnum, number: number) => string;
  /** Writes a list of values that are written already. */
  readonly list: (values: readonly string[], field: DescField) => string;
  readonly message: (desc: DescMessage, fields: readonly WrittenField[]) => string;
}

export interface WrittenField {
  readonly field: DescField;
  readonly value: string;
  /** The values of a list; undefined if the field is not a list. */
  readonly elements?: readonly string[];
}

/** The longest text that stays on one line, in characters. */
const longest = 60;

/**
 * Joins elements between brackets: on one line if they fit, otherwise one element a line.
 *
 * @param indent of a line
 * @param space between a bracket and the elements on one line
 */
export function bracketed(
  [open, close]: readonly [open: string, close: string],
  elements: readonly string[],
  indent: string,
  space = "",
): string {
  if (elements.length === 0) return open + close;
  const line = elements.join(", ");
  if (line.length <= longest && !line.includes("\n")) return open + space + line + space + close;
  const lines = elements.map((element) => `${indentLines(element, indent)},\n`).join("");
  return `${open}\n${lines}${close}`;
}

/** Indents all lines that are not empty. */
export function indentLines(text: string, indent: string): string {
  return text.replace(/^(?=.)/gm, indent);
}

/** Returns the name that the clients give a service: `store` for `store.v1.StoreService`. */
export function serviceWord({ parent }: DescMethod): string {
  return versionlessPackage(parent);
}

/** Returns the package of an element without its version: `store` for `store.v1`. */
export function versionlessPackage({ file }: Pick<DescMessage | DescEnum, "file">): string {
  return file.proto.package.replace(/\.v\d+$/, "");
}

/** Returns a name with its first letter in upper case. */
export function capitalized(name: string): string {
  return name.replace(/^./, (first) => first.toUpperCase());
}

/** Returns a name in lower case with underscores: `set_plan` for `SetPlan`. */
export function snakeCase(name: string): string {
  return name.replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase();
}
