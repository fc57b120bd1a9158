import { canonicalLiteral } from "./percent.ts";

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
  /** Literals in canonical spelling, `*` for one segment, and `**` for all that follow. */
  readonly segments: readonly string[];
  readonly variables: readonly TemplateVariable[];
  /** The verb in canonical spelling, without its colon; "" when there is none. */
  readonly verb: string;
}

const fieldPathPattern = /[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*/y;

// `pchar` of RFC 3986 without `*`, which is a wildcard here: once with the colon, once without.
const literalPattern = /(?:[-._~0-9A-Za-z!$&'()+,;=@:]|%[0-9A-Fa-f]{2})*/y;
const literalWithoutColonPattern = /(?:[-._~0-9A-Za-z!$&'()+,;=@]|%[0-9A-Fa-f]{2})*/y;

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
  const segments: string[] = [];
  const variables: TemplateVariable[] = [];
  let at = 0;
  /** Whether the position is in a variable. */
  let isInVariable = false;

  function fault(reason: string): Error {
    return new Error(`path template ${JSON.stringify(text)}, position ${at + 1}: ${reason}`);
  }

  function skip(char: string): void {
    if (text[at] !== char) throw fault(`expected "${char}"`);
    at++;
  }

  function scan(pattern: RegExp, expected: string): string {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    if (found === "") throw fault(`expected ${expected}`);
    at += found.length;
    return found;
  }

  function scanLiteral(pattern: RegExp): string {
    return canonicalLiteral(scan(pattern, "a segment"));
  }

  function scanSegments(): void {
    for (;;) {
      if (text[at] === "{") {
        if (isInVariable) throw fault("a variable cannot contain another variable");
        scanVariable();
      } else if (text.startsWith("**", at)) {
        at += 2;
        segments.push("**");
      } else if (text[at] === "*") {
        at++;
        segments.push("*");
      } else {
        const isLast = !isInVariable && !text.includes("/", at);
        const pattern = isLast ? literalWithoutColonPattern : literalPattern;
        segments.push(scanLiteral(pattern));
      }
      if (text[at] !== "/") return;
      if (segments.at(-1) === "**") throw fault("only a verb may follow **");
      at++;
    }
  }

  function scanVariable(): void {
    at++;
    const fieldPath = scan(fieldPathPattern, "a field name");
    if (variables.some((variable) => variable.fieldPath === fieldPath)) {
      throw fault(`${fieldPath} is bound twice`);
    }
    const start = segments.length;
    if (text[at] === "=") {
      at++;
      isInVariable = true;
      scanSegments();
      isInVariable = false;
    } else {
      segments.push("*");
    }
    skip("}");
    const deep = segments.at(-1) === "**";
    const end = deep ? -1 : segments.length;
    variables.push({ fieldPath, start, end, multi: deep || segments.length - start > 1 });
  }

  skip("/");
  scanSegments();
  let verb = "";
  if (text[at] === ":") {
    at++;
    verb = scanLiteral(literalPattern);
  }
  if (at < text.length) throw fault(`unexpected ${JSON.stringify(text[at])}`);
  return { text, segments, variables, verb };
}
