import {
  defaultPorts,
  noLogin,
  parseRedisUrl,
  type RedisLocation,
  type RedisSettings,
  type RedisTlsFiles,
} from "./settings.ts";

interface RedisValues
  extends Pick<
    RedisSettings,
    "mode" | "sentinelName" | "username" | "passwordFile" | "ackReplicas"
  > {
  /** Each is a valid URL. */
  readonly urls: readonly string[];
  /** Reads the first URL again; undefined when it cannot change. */
  readonly readUrl: (() => string | undefined) | undefined;
  readonly tls: RedisTlsFiles;
}

/** Combines the settings of Redis; undefined without a URL. @param faults gets a line for each contradiction */
export function combineRedisSettings(
  values: RedisValues,
  faults: string[],
): RedisSettings | undefined {
  const { mode, sentinelName, tls, ackReplicas, readUrl } = values;
  const locations = values.urls.map((url) => parseRedisUrl(url, defaultPorts[mode]));
  const [first, ...others] = locations;
  if (!first) {
    if (mode !== "single") faults.push(`REDIS_MODE is "${mode}": set REDIS_URL too`);
    return undefined;
  }
  const urlLogin = {
    username: first.username,
    password: first.password,
    ...(readUrl && { readPassword: () => passwordIn(readUrl()) }),
  };
  // In this mode the URLs are those of the sentinels.
  const [ownLogin, sentinelLogin] = mode === "sentinel" ? [noLogin, urlLogin] : [urlLogin, noLogin];
  const username = values.username ?? ownLogin.username;
  const hasPassword = values.passwordFile !== undefined || ownLogin.password !== undefined;
  const isSentinel = mode === "sentinel";
  const hasName = sentinelName !== undefined;
  const hasTls = Object.values(tls).some((value) => value !== undefined);
  const contradictions: Readonly<Record<string, boolean>> = {
    ...urlFaults(mode, first, locations),
    'REDIS_MODE is "sentinel": set REDIS_SENTINEL_NAME to the name of the primary':
      isSentinel && !hasName,
    [`REDIS_SENTINEL_NAME is set, but REDIS_MODE is "${mode}": set REDIS_MODE to sentinel`]:
      !isSentinel && hasName,
    "REDIS_PASSWORD_FILE is set, and REDIS_URL has a password: remove one of them":
      values.passwordFile !== undefined && ownLogin.password !== undefined,
    "REDIS_USERNAME is set, and REDIS_URL has a username: remove one of them":
      values.username !== undefined && ownLogin.username !== undefined,
    "the user of Redis has no password: set REDIS_PASSWORD_FILE, or put the password into REDIS_URL":
      username !== undefined && !hasPassword,
    "REDIS_TLS_CERT and REDIS_TLS_KEY must be set together: set both or neither":
      (tls.certFile === undefined) !== (tls.keyFile === undefined),
    "settings REDIS_TLS_* are set, but REDIS_URL is not encrypted: use rediss:// in REDIS_URL":
      !first.isTls && hasTls,
  };
  for (const [fault, isFault] of Object.entries(contradictions)) if (isFault) faults.push(fault);
  return {
    mode,
    addresses: [first.address, ...others.map(({ address }) => address)],
    sentinelName,
    ...ownLogin,
    username,
    passwordFile: values.passwordFile,
    sentinelLogin,
    database: first.database,
    tls: first.isTls ? tls : undefined,
    ackReplicas,
  };
}

function passwordIn(url: string | undefined): string | undefined {
  return url === undefined ? undefined : parseRedisUrl(url, defaultPorts.single).password;
}

/** Returns texts of faults, and whether the URLs have them. */
function urlFaults(
  mode: RedisSettings["mode"],
  first: RedisLocation,
  locations: readonly RedisLocation[],
): Readonly<Record<string, boolean>> {
  const differs = (field: "isTls" | "username" | "password") =>
    locations.some((location) => location[field] !== first[field]);
  return {
    "REDIS_URL has several URLs: set REDIS_MODE to sentinel or cluster, or give one URL":
      mode === "single" && locations.length > 1,
    "REDIS_URL mixes redis:// and rediss://: use one of them": differs("isTls"),
    "REDIS_URL has different usernames or passwords: give all URLs the same":
      differs("username") || differs("password"),
    "REDIS_URL has a database number: a Redis Cluster has only database 0":
      mode === "cluster" && locations.some(({ database }) => database !== 0),
  };
}
