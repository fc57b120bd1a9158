import { validateHeaderName, validateHeaderValue } from "node:http";
import { list } from "./parsers.ts";

/** Parses the URL of a collector. */
export function collectorUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Error("must be an http:// or https:// URL");
  }
  if (url.username !== "" || url.password !== "") {
    throw new Error("must not contain a user or password: set OTEL_EXPORTER_OTLP_HEADERS instead");
  }
  return text;
}

/** Shows the host of a URL. Some collectors have a token in the path. */
export function redactUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return "***";
  return url.pathname === "/" && !url.search ? url.origin : `${url.origin}/***`;
}

/**
 * Parses `name=value,name=value` with percent-encoded values, the form that OpenTelemetry has for resource attributes
 * and headers. See https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function attributes(text: string): [name: string, value: string][] {
  return list((pair): [string, string] => {
    const at = pair.indexOf("=");
    const name = decoded(pair.slice(0, Math.max(0, at)).trim());
    const value = decoded(pair.slice(at + 1).trim());
    if (at < 1 || !name || value === undefined) {
      throw new Error("must be name=value, separated by commas, with percent-encoded values");
    }
    return [name, value];
  })(text);
}

/** The same for headers. Names are in lower case. */
export function headers(text: string): Record<string, string> {
  const pairs = attributes(text).map(([name, value]) => [name.toLowerCase(), value] as const);
  for (const [name, value] of pairs) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw new Error("must have valid names and values of headers");
    }
  }
  return Object.fromEntries(pairs);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
