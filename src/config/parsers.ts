import { BlockList, isIP, isIPv4 } from "node:net";
import { parseUtcTime } from "../common/utc-time.ts";
import { parseRedisUrl, type RedisLocation } from "../stores/redis/connection/settings.ts";
import type { Setting } from "./setting.ts";

/** The part of a setting that depends on the form of its values. */
type Parsed<T> = Pick<Setting<T>, "bounds" | "schema" | "parse">;

type WithDefault = Parsed<number> & { readonly default: string };

/** @param byDefault the default; none if absent */
export function integer(min: number, max: number): Parsed<number>;
export function integer(min: number, max: number, byDefault: number): WithDefault;
export function integer(min: number, max: number, byDefault?: number): Parsed<number> {
  return {
    ...(byDefault !== undefined && { default: String(byDefault) }),
    bounds: `integer, ${min} to ${max}`,
    schema: { type: "integer", minimum: min, maximum: max },
    parse(text) {
      const value = Number(text);
      if (!/^\d+$/.test(text) || value < min || value > max) {
        throw new Error(`must be an integer from ${min} to ${max}`);
      }
      return value;
    },
  };
}

/** Allows 0 as well, which turns the setting off. */
export function zeroOr(min: number, max: number, byDefault: number): WithDefault {
  const { bounds, parse, ...others } = integer(min, max, byDefault);
  return {
    ...others,
    bounds: `0, or ${bounds}`,
    schema: { type: "integer", anyOf: [{ const: 0 }, { minimum: min, maximum: max }] },
    parse(text) {
      if (text === "0") return 0;
      try {
        return parse(text);
      } catch {
        throw new Error(`must be 0 or an integer from ${min} to ${max}`);
      }
    },
  };
}

export function oneOf<T extends string>(...words: readonly T[]): Parsed<T> {
  return {
    bounds: words.map((word) => `\`${word}\``).join(", "),
    schema: { type: "string", enum: words },
    parse(text) {
      const word = words.find((each) => each === text);
      if (word === undefined) throw new Error(`must be one of ${words.join(", ")}`);
      return word;
    },
  };
}

/** A share of a whole. */
export const ratio: Parsed<number> = {
  bounds: "number, 0 to 1",
  schema: { type: "number", minimum: 0, maximum: 1 },
  parse(text) {
    const value = Number(text);
    if (!/^(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?$/i.test(text) || value > 1) {
      throw new Error("must be a number from 0 to 1");
    }
    return value;
  },
};

/** @param pattern a pattern of whole texts */
export function matching(bounds: string, pattern: RegExp): Parsed<string> {
  return {
    bounds,
    schema: { type: "string", pattern: pattern.source },
    parse(text) {
      if (!pattern.test(text)) throw new Error(`must be ${bounds}`);
      return text;
    },
  };
}

function list<T>(parse: (text: string) => T): (text: string) => T[] {
  return (text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .map(parse);
}

/** Shows URLs of Redis without their passwords and anything that is not used. Shows nothing if one is invalid. */
export function redactRedisUrls(text: string): string {
  try {
    return list((url) => redisUrl(parseRedisUrl(url, 0)))(text).join(",");
  } catch {
    // A comma in a password splits its URL in two. The first can look valid, with a part of the password as its port.
    return "***";
  }
}

function redisUrl({ username = "", password, address, database, isTls }: RedisLocation): string {
  const login = password === undefined ? username : `${username}:***`;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  const port = address.port === 0 ? "" : `:${address.port}`;
  return `${isTls ? "rediss" : "redis"}://${login && `${login}@`}${host}${port}${database ? `/${database}` : ""}`;
}

/** Without any URL, the service would keep all data in its memory. */
export function redisUrls(text: string): string[] {
  const urls = list((url) => url)(text);
  for (const url of urls.length === 0 ? [""] : urls) parseRedisUrl(url, 0);
  return urls;
}

/** An address and a port; undefined when the text is empty. */
export const address = {
  bounds: "`<host>:<port>`, or empty",
  parse(text: string): { readonly host: string; readonly port: number } | undefined {
    if (text === "") return undefined;
    const [, ipv6, name, digits = ""] = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d+)$/i.exec(text) ?? [];
    const host = ipv6 ?? name;
    const port = Number(digits);
    if (host === undefined || !isHost(host) || port > 65_535) {
      throw new Error("must be an address with a port, such as 127.0.0.1:9464 or [::1]:9464");
    }
    return { host, port };
  },
} as const;

export const file = { ...matching("a path", /^[\s\S]+$/), isFile: true } as const;

function origin(text: string): string {
  if (text === "*") return text;
  if (text.includes("*")) {
    throw new Error("must name each origin in full, or be `*`: a part of an origin cannot be `*`");
  }
  const { origin: written = "null" } = URL.parse(text) ?? {};
  if (written === text) return text;
  // Browsers send another form, which would never match.
  const advice = written === "null" ? "" : `: write ${written}`;
  throw new Error(
    `must be \`*\` or origins such as https://shop.example, separated by commas${advice}`,
  );
}

export const origins = list(origin);

/** Whether a text is an IP address or a host name. A name whose last label is a number would be an IPv4 address. */
function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^(?!.*(?:^|\.)\d+\.?$)[\w.-]+$/.test(text);
}

/** An address to listen on, without a port. */
export const host = {
  bounds: "a host name or an IP address",
  parse(text: string): string {
    if (!isHost(text)) {
      throw new Error("must be a host name or an IP address, without a port: set PORT to the port");
    }
    return text;
  },
} as const;

export function networks(text: string): BlockList {
  const proxies = new BlockList();
  for (const part of list((each) => each)(text)) {
    const [, address = "", length] = /^([^/]*)(?:\/(\d+))?$/.exec(part) ?? [];
    const [family, longest] = isIPv4(address) ? (["ipv4", 32] as const) : (["ipv6", 128] as const);
    try {
      proxies.addSubnet(address, Number(length ?? longest), family);
    } catch {
      throw new Error("must be addresses or networks such as 10.0.0.0/8, separated by commas");
    }
  }
  return proxies;
}

export function date(text: string): number {
  const time = parseUtcTime(`${text}T00:00:00`);
  if (time === undefined) throw new Error("must be a date as YYYY-MM-DD");
  return time;
}
