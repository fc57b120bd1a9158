import type { Random } from "../linearizability/random.ts";
import type { Call } from "./corpus.ts";

/** Numbers at the bounds of integer types and of the contract. */
const numbers = [
  "0",
  "-0",
  "-1",
  "1",
  "2147483647",
  "2147483648",
  "-2147483649",
  "4294967295",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "18446744073709551616",
  "1e400",
  "1e-400",
  "0.5",
  "5e0",
  "NaN",
  "Infinity",
  "00",
  "1e99999999",
  "null",
  "true",
  '""',
  "[]",
  "{}",
  '"1"',
] as const;

const texts = [
  "\0",
  "\u00ff",
  "é",
  "\u{1f600}",
  "\ud800",
  "\u202e",
  "%00",
  "%",
  "%ff",
  "%2F",
  "../..",
  "//",
  "\\",
  "'",
  '"',
  "{",
  "[",
  "(",
  "*",
  ":",
  ";",
  ",",
  "=",
  "&",
  "?",
  "#",
  " ",
  "\t",
  "\r\n",
  "\n",
  "__proto__",
  "constructor",
  "toString",
  "$",
  "`",
  "\ufeff",
] as const;

export const headerNames = [
  "if-match",
  "if-none-match",
  "accept",
  "accept-encoding",
  "content-encoding",
  "content-type",
  "content-length",
  "transfer-encoding",
  "expect",
  "host",
  "connection",
  "upgrade",
  "x-forwarded-for",
  "idempotency-key",
  "connect-timeout-ms",
  "grpc-timeout",
  "grpc-encoding",
  "grpc-accept-encoding",
  "connect-content-encoding",
  "connect-accept-encoding",
  "connect-protocol-version",
  "authorization",
  "origin",
  "cookie",
  "range",
  "te",
  "trailer",
  "last-event-id",
  "x-request-id",
  "traceparent",
  "x-http-method-override",
  "prefer",
  "__proto__",
  "date",
  "content-disposition",
  "accept-patch",
  "access-control-request-method",
  "access-control-request-headers",
] as const;

export const headerValues = [
  "",
  " ",
  "*",
  '"1"',
  'W/"1"',
  '"',
  "gzip",
  "br",
  "zstd",
  "deflate",
  "identity",
  "identity;q=0",
  "chunked",
  "close",
  "keep-alive",
  "100-continue",
  "[",
  "[::1]",
  "::1",
  "1.2.3.4, 5.6.7.8",
  "application/json",
  "application/grpc",
  "application/grpc-web-text",
  "application/connect+json",
  "application/proto",
  "text/plain",
  "multipart/form-data",
  "application/json; charset=utf-16",
  "1",
  "0",
  "-1",
  "99999999999999999999",
  "1S",
  "99999999H",
  "1n",
  "Bearer x",
  "Bearer",
  "Basic YTpi",
  "trailers",
  "inventory",
  "true",
  'a=b; c="d',
  "bytes=0-1",
] as const;

const methods = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "get",
  "PRI",
  "M-SEARCH",
] as const;

export function mutateBytes(bytes: Buffer, random: Random, other: Buffer): Buffer {
  const at = random.between(0, Math.max(0, bytes.length - 1));
  const end = Math.min(bytes.length, at + random.between(1, 16));
  const before = bytes.subarray(0, at);
  const after = bytes.subarray(end);
  switch (random.between(0, 9)) {
    case 0: {
      const flipped = Buffer.from(bytes);
      if (flipped.length > 0) flipped[at] = (flipped[at] ?? 0) ^ (1 << random.between(0, 7));
      return flipped;
    }
    case 1:
      return before;
    case 2:
      return Buffer.concat([before, after]);
    case 3:
      return Buffer.concat([before, bytes.subarray(at, end), bytes.subarray(at, end), after]);
    case 4:
      return Buffer.concat([before, randomBytes(random, random.between(1, 8)), bytes.subarray(at)]);
    case 5:
      return Buffer.concat([
        before,
        other.subarray(random.between(0, Math.max(0, other.length - 1))),
      ]);
    case 6:
      return Buffer.concat([before, Buffer.from(random.pick(texts)), bytes.subarray(at)]);
    case 7:
      return Buffer.concat([before, repeated(random, bytes.subarray(at, end)), after]);
    case 8:
      return Buffer.concat([before, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]), after]);
    default:
      return Buffer.concat([
        before,
        Buffer.alloc(end - at, random.pick([0, 0xff, 0x80, 0x7f])),
        after,
      ]);
  }
}

function repeated(random: Random, bytes: Buffer): Buffer {
  const most = Math.max(
    1,
    Math.floor(random.pick([14_000, 60_000, 90_000]) / Math.max(1, bytes.length)),
  );
  const count = random.oneIn(4) ? most : random.between(2, Math.min(most, 200));
  return Buffer.concat(Array.from({ length: count }, () => bytes));
}

function randomBytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.between(0, 255)));
}

/** Applies a random mutation to a token of a text: a number, a string or a member. */
export function mutateText(text: string, random: Random): string {
  const tokens = [...text.matchAll(/-?\d[\d.eE+-]*|"[^"]*"|[{}[\],:]|[a-zA-Z]+/g)];
  const token = tokens[random.between(0, Math.max(0, tokens.length - 1))];
  if (!token) return random.pick(numbers);
  const before = text.slice(0, token.index);
  const after = text.slice(token.index + token[0].length);
  switch (random.between(0, 6)) {
    case 0:
    case 1:
      return before + random.pick(numbers) + after;
    case 2:
      return `${before}"${random.pick(texts)}"${after}`;
    case 3:
      return `${before}${token[0]}${after.startsWith(":") ? "" : ","}${token[0]}${after}`;
    case 4:
      return before + repeatedText(token[0], random.oneIn(4) ? 5_000 : 20) + after;
    case 5:
      return `${before}${random.pick(numbers)}${"0".repeat(random.between(1, 60_000))}${random.pick(["", "1", "1e0", "e-9", "."])}${after}`;
    default:
      return before + after;
  }
}

/** Repeats text, up to the size limit of a request. */
function repeatedText(text: string, count: number): string {
  return text.repeat(Math.max(1, Math.min(count, Math.floor(100_000 / text.length))));
}

/** Most characters of a path that fit into the default limit of a header section. */
const mostOfPath = 15_000;

/** Mutates one part of a request: its body, a header, its path or its method. */
export function mutateCall(call: Call, random: Random, other: Call): void {
  mutatePart(call, random, other);
  call.path = call.path.slice(0, mostOfPath);
}

function mutatePart(call: Call, random: Random, other: Call): void {
  switch (random.between(0, 11)) {
    case 0:
    case 1:
    case 2:
    case 3:
      call.body = mutateBytes(call.body, random, other.body);
      break;
    case 4:
    case 5:
    case 6:
      call.body = Buffer.from(mutateText(call.body.toString("latin1"), random), "utf8");
      break;
    case 7:
      call.headers.push([random.pick(headerNames), headerValue(random)]);
      break;
    case 8:
      mutateHeader(call, random);
      break;
    case 9:
      call.path = mutateBytes(Buffer.from(call.path), random, Buffer.from(other.path)).toString(
        "latin1",
      );
      break;
    case 10:
      call.path = mutateText(call.path, random);
      break;
    default:
      if (random.oneIn(2)) call.method = random.pick(methods);
      else call.path = other.path;
  }
}

function headerValue(random: Random): string {
  const value = random.pick(headerValues);
  if (!random.oneIn(5)) return value;
  return repeatedText(`${value}${random.pick(texts)}`, random.pick([1, 2, 100, 3_000])).slice(
    0,
    14_000,
  );
}

function mutateHeader(call: Call, random: Random): void {
  const index = random.between(0, call.headers.length - 1);
  const header = call.headers[index];
  if (!header) return;
  switch (random.between(0, 3)) {
    case 0:
      call.headers.splice(index, 1);
      break;
    case 1:
      call.headers.push([header[0], header[1]]);
      break;
    case 2:
      header[1] = headerValue(random);
      break;
    default:
      header[1] = mutateText(header[1], random).slice(0, 14_000);
  }
}
