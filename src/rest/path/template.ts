import { canonicalLiteral } from "./percent.ts";

/** A segment of a path template: a literal in canonical spelling, `*` for one segment, or `**` for the rest. */
export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "*" }
  | { readonly kind: "**" };

/** A variable of a path template and the segments it covers. */
export interface TemplateVariable {
  /** Proto names from the request message down, such as `book.name`. */
  readonly fieldPath: string;
  /** Index of its first segment. */
  readonly start: number;
  /** Index after its last segment; -1 when it covers the rest of the path. */
  readonly end: number;
  /** Whether its value can contain slashes. */
  readonly multi: boolean;
}

/** A parsed path template of a google.api.http rule. */
export interface Template {
  readonly text: string;
  readonly segments: readonly Segment[];
  readonly variables: readonly TemplateVariable[];
  /** The verb in canonical spelling, without its colon; "" when there is none. */
  readonly verb: string;
}

interface Scanner {
  readonly text: string;
  at: number;
  readonly segments: Segment[];
  readonly variables: TemplateVariable[];
}

/**
 * Parses a path template.
 *
 *     Template  = "/" Segments [ Verb ] ;
 *     Segments  = Segment { "/" Segment } ;
 *     Segment   = "*" | "**" | LITERAL | Variable ;
 *     Variable  = "{" FieldPath [ "=" Segments ] "}" ;
 *     FieldPath = IDENT { "." IDENT } ;
 *     Verb      = ":" LITERAL ;
 *
 * A colon is part of a literal, except for the first colon of the last segment, which starts the verb.
 *
 * @throws Error with the template and the position of the fault, counted from 1
 * @see google/api/http.proto, "Path template syntax"
 */
export function parseTemplate(text: string): Template {
  const scanner: Scanner = { text, at: 0, segments: [], variables: [] };
  expect(scanner, "/");
  scanSegments(scanner, false);
  let verb = "";
  if (text[scanner.at] === ":") {
    scanner.at++;
    verb = scanLiteral(scanner, true);
  }
  if (scanner.at < text.length) {
    throw templateError(scanner, `unexpected ${JSON.stringify(text[scanner.at])}`);
  }
  return { text, segments: scanner.segments, variables: scanner.variables, verb };
}

function scanSegments(scanner: Scanner, inVariable: boolean): void {
  for (;;) {
    scanSegment(scanner, inVariable);
    if (scanner.text[scanner.at] !== "/") return;
    if (scanner.segments.at(-1)?.kind === "**") {
      throw templateError(scanner, "only a verb may follow **");
    }
    scanner.at++;
  }
}

function scanSegment(scanner: Scanner, inVariable: boolean): void {
  const { text, segments } = scanner;
  if (text[scanner.at] === "{") {
    if (inVariable) throw templateError(scanner, "a variable cannot contain another variable");
    scanVariable(scanner);
  } else if (text.startsWith("**", scanner.at)) {
    scanner.at += 2;
    segments.push({ kind: "**" });
  } else if (text[scanner.at] === "*") {
    scanner.at++;
    segments.push({ kind: "*" });
  } else {
    const colonIsText = inVariable || text.includes("/", scanner.at);
    segments.push({ kind: "literal", text: scanLiteral(scanner, colonIsText) });
  }
}

function scanVariable(scanner: Scanner): void {
  const { text, segments, variables } = scanner;
  scanner.at++;
  const fieldPath = scanFieldPath(scanner);
  if (variables.some((variable) => variable.fieldPath === fieldPath)) {
    throw templateError(scanner, `${fieldPath} is bound twice`);
  }
  const start = segments.length;
  if (text[scanner.at] === "=") {
    scanner.at++;
    scanSegments(scanner, true);
  } else {
    segments.push({ kind: "*" });
  }
  expect(scanner, "}");
  const deep = segments.at(-1)?.kind === "**";
  const end = deep ? -1 : segments.length;
  variables.push({ fieldPath, start, end, multi: deep || segments.length - start > 1 });
}

const fieldPathPattern = /[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*/y;

function scanFieldPath(scanner: Scanner): string {
  const found = stickyMatch(fieldPathPattern, scanner);
  if (found === "") throw templateError(scanner, "expected a field name");
  return found;
}

// `pchar` of RFC 3986 without `*`, which is a wildcard here: once with the colon, once without.
const literalPattern = /(?:[-._~0-9A-Za-z!$&'()+,;=@:]|%[0-9A-Fa-f]{2})*/y;
const literalWithoutColonPattern = /(?:[-._~0-9A-Za-z!$&'()+,;=@]|%[0-9A-Fa-f]{2})*/y;

function scanLiteral(scanner: Scanner, colonIsText: boolean): string {
  const found = stickyMatch(colonIsText ? literalPattern : literalWithoutColonPattern, scanner);
  if (found === "") throw templateError(scanner, "expected a segment");
  return canonicalLiteral(found);
}

function stickyMatch(pattern: RegExp, scanner: Scanner): string {
  pattern.lastIndex = scanner.at;
  const found = pattern.exec(scanner.text)?.[0] ?? "";
  scanner.at += found.length;
  return found;
}

function expect(scanner: Scanner, char: string): void {
  if (scanner.text[scanner.at] !== char) throw templateError(scanner, `expected "${char}"`);
  scanner.at++;
}

function templateError({ text, at }: Scanner, reason: string): Error {
  return new Error(`path template ${JSON.stringify(text)}, position ${at + 1}: ${reason}`);
}
