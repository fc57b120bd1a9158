/** Where Redis is, and how to connect to it. */
export interface RedisSettings {
  /**
   * How the servers are organized. `single`: one server. `sentinel`: the addresses are those of sentinels, which know
   * the primary. `cluster`: the addresses are those of some nodes of a Redis Cluster.
   */
  readonly mode: "single" | "sentinel" | "cluster";
  /** At least one; exactly one in the mode `single`. */
  readonly addresses: readonly RedisAddress[];
  /** The name of the primary among the sentinels; undefined in other modes. */
  readonly sentinelName: string | undefined;
  readonly username: string | undefined;
  /** The password; `passwordFile` takes precedence. */
  readonly password: string | undefined;
  readonly readPassword?: RedisLogin["readPassword"];
  /** A file with the password. It is read again for every connection. */
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

/** No username and no password. */
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

/**
 * Parses a URL of Redis: `redis://user:password@host:port/database`, with `rediss` for TLS.
 *
 * @param defaultPort the port when the URL has none
 * @returns undefined when it is not such a URL
 */
export function parseRedisUrl(text: string, defaultPort: number): RedisLocation | undefined {
  // URL.parse would remove them: a second line of a file would become a part of the host.
  if (/[\t\r\n]/.test(text)) return undefined;
  const url = URL.parse(text);
  if (!url || !/^rediss?:$/.test(url.protocol) || url.hostname === "") return undefined;
  // A password with `?` or `#` must be percent-encoded. Otherwise the username would be the host, and the password the
  // port, which messages show.
  if (/@/.test(url.search + url.hash)) return undefined;
  const [, database = "0"] = /^\/?(\d*)$/.exec(url.pathname) ?? [undefined, "-"];
  if (database === "-") return undefined;
  const [username, password] = [decode(url.username), decode(url.password)];
  if (username === undefined || password === undefined) return undefined;
  return {
    address: {
      host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? defaultPort : Number(url.port),
    },
    username: username || undefined,
    password: password || undefined,
    database: Number(database),
    isTls: url.protocol === "rediss:",
  };
}

/** Decodes percent-encoded text. @returns undefined when it is malformed */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Ports of servers and sentinels when a URL has none. */
export const defaultPorts = { single: 6379, cluster: 6379, sentinel: 26379 } as const;

/** @returns the settings for one server. @throws Error when the URL is invalid */
export function singleServer(url: string): RedisSettings {
  const location = parseRedisUrl(url, defaultPorts.single);
  if (!location) throw new Error("not a redis:// or rediss:// URL");
  const { address, username, password, database, isTls } = location;
  return {
    mode: "single",
    addresses: [address],
    sentinelName: undefined,
    username,
    password,
    passwordFile: undefined,
    sentinelLogin: noLogin,
    database,
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
