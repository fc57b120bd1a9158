/** Where Redis is, and how to connect to it. */
export interface RedisSettings extends RedisLogin {
  /** Whether the addresses are one server, sentinels, which know the primary, or some nodes of a Redis Cluster. */
  readonly mode: "single" | "sentinel" | "cluster";
  /** At least one; exactly one in the mode `single`. */
  readonly addresses: readonly [RedisAddress, ...RedisAddress[]];
  /** The name of the primary among the sentinels; undefined in other modes. */
  readonly sentinelName: string | undefined;
  /** A file with the password, which takes precedence. It is read again for every connection. */
  readonly passwordFile: string | undefined;
  /** Username and password for the sentinels. `username` and `password` are for the servers. */
  readonly sentinelLogin: RedisLogin;
  /** The database number. A cluster has only 0. */
  readonly database: number;
  /** Undefined when connections are not encrypted. */
  readonly tls: RedisTlsFiles | undefined;
  /** The number of replicas that must have a change before it is acknowledged. */
  readonly ackReplicas: number;
}

/** The address of a Redis server or a sentinel. */
export interface RedisAddress {
  /** A host name or an IP address; an IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
}

/** A username and a password of Redis. Both are undefined when the server needs none. */
export interface RedisLogin {
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Reads the password in REDIS_URL again, for every connection. It takes precedence over `password`. */
  readonly readPassword?: () => string | undefined;
}

export const noLogin: RedisLogin = { username: undefined, password: undefined };

/** PEM files for TLS. They are read again for every connection. */
export interface RedisTlsFiles {
  /** Certificates of the authorities to trust; those of the system when undefined. */
  readonly caFile: string | undefined;
  /** The client's certificate and private key; both or neither. */
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** The name that the server's certificate must have; the host of its address when undefined. */
  readonly servername: string | undefined;
}

/** The parts of a Redis URL. */
export interface RedisLocation extends RedisLogin {
  readonly address: RedisAddress;
  readonly database: number;
  readonly isTls: boolean;
}

/** Characters that mean something else in a URL, and how a password has them. */
const encoding = "Write / ? # % , and @ in a password as %2F %3F %23 %25 %2C and %40";

/** Which part of a URL is wrong. The first pattern that matches the text counts. No message has a part of the URL. */
const urlFaults: readonly (readonly [pattern: RegExp, message: string])[] = [
  [/^(?!rediss?:\/\/)/i, "must be a redis:// or rediss:// URL, or several separated by commas"],
  // `URL.parse` would remove them: a second line of a file would become a part of the host.
  [/[\t\r\n]/, "must be one line without tabs"],
  [/^\w+:\/\/[^/?#]*[/?#].*@/, `must percent-encode the password. ${encoding}`],
  [
    /^[^@]*%(?![\da-f]{2}).*@/i,
    `must have two hexadecimal digits after each % of the password. ${encoding}`,
  ],
  [
    /[?#]/,
    "must have no parameters after ? or #: the database number follows the port, as in redis://localhost:6379/3, and a password precedes the host, as in redis://:password@localhost",
  ],
  [
    /^\w+:\/\/[^/]*\/(?!\d{0,9}$)/,
    `must have nothing but a database number after the host. ${encoding}`,
  ],
];

/**
 * Parses a URL of Redis: `redis://user:password@host:port/database`, with `rediss` for TLS, and a default for the port.
 *
 * @throws Error that says what a URL must be, without a part of this one, which may be a password
 */
export function parseRedisUrl(text: string, defaultPort: number): RedisLocation {
  const [, fault] = urlFaults.find(([pattern]) => pattern.test(text)) ?? [];
  if (fault !== undefined) throw new Error(fault);
  const url = URL.parse(text);
  if (!url || url.hostname === "" || url.port === "0") {
    // A password with a comma or a slash is cut before its @.
    throw new Error(`must have a host, and a port from 1 to 65535 if any. ${encoding}`);
  }
  const [username, password] = [url.username, url.password].map(decodeURIComponent);
  return {
    address: {
      host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? defaultPort : Number(url.port),
    },
    username: username || undefined,
    password: password || undefined,
    database: Number(url.pathname.slice(1)),
    isTls: url.protocol === "rediss:",
  };
}

/** Ports of servers and sentinels when a URL has none. */
export const defaultPorts = { single: 6379, cluster: 6379, sentinel: 26379 } as const;

/** @returns the settings for one server. @throws Error that says what the URL must be */
export function singleServer(url: string): RedisSettings {
  const { address, isTls, ...location } = parseRedisUrl(url, defaultPorts.single);
  return {
    ...location,
    mode: "single",
    addresses: [address],
    sentinelName: undefined,
    passwordFile: undefined,
    sentinelLogin: noLogin,
    tls: isTls
      ? { caFile: undefined, certFile: undefined, keyFile: undefined, servername: undefined }
      : undefined,
    ackReplicas: 0,
  };
}

/** Returns an address in the form that the servers of a cluster use: `<host>:<port>`, without brackets. */
export function addressText({ host, port }: RedisAddress): string {
  return `${host}:${port}`;
}

/** Parses `<host>:<port>`. The host may be an IPv6 address without brackets. */
export function parseAddress(text: string): RedisAddress {
  const colon = text.lastIndexOf(":");
  return { host: text.slice(0, colon), port: Number(text.slice(colon + 1)) };
}
