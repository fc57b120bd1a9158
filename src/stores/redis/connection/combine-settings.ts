import {
  defaultPorts,
  noLogin,
  parseRedisUrl,
  type RedisLocation,
  type RedisSettings,
  type RedisTlsFiles,
} from "./settings.ts";

/** The values of the settings REDIS_*. */
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

/**
 * Combines the settings of Redis, and checks that they fit together.
 *
 * @param faults gets a line for each contradiction. It names the settings and says what to do
 * @returns undefined when there is no URL
 */
export function combineRedisSettings(
  values: RedisValues,
  faults: string[],
): RedisSettings | undefined {
  const { mode, sentinelName, tls, ackReplicas, readUrl } = values;
  const locations = values.urls.map((url) => parseRedisUrl(url, defaultPorts[mode]));
  const [first] = locations;
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
  const contradictions: readonly (readonly [isFault: boolean, fault: string])[] = [
    ...urlFaults(mode, first, locations),
    [
      mode === "sentinel" && sentinelName === undefined,
      'REDIS_MODE is "sentinel": set REDIS_SENTINEL_NAME to the name of the primary',
    ],
    [
      mode !== "sentinel" && sentinelName !== undefined,
      `REDIS_SENTINEL_NAME is set, but REDIS_MODE is "${mode}": set REDIS_MODE to sentinel`,
    ],
    [
      values.passwordFile !== undefined && ownLogin.password !== undefined,
      "REDIS_PASSWORD_FILE is set, and REDIS_URL has a password: remove one of them",
    ],
    [
      values.username !== undefined && ownLogin.username !== undefined,
      "REDIS_USERNAME is set, and REDIS_URL has a username: remove one of them",
    ],
    [
      username !== undefined && !hasPassword,
      "the user of Redis has no password: set REDIS_PASSWORD_FILE, or put the password into REDIS_URL",
    ],
    [
      (tls.certFile === undefined) !== (tls.keyFile === undefined),
      "REDIS_TLS_CERT and REDIS_TLS_KEY must be set together: set both or neither",
    ],
    [
      !first.isTls && Object.values(tls).some((value) => value !== undefined),
      "settings REDIS_TLS_* are set, but REDIS_URL is not encrypted: use rediss:// in REDIS_URL",
    ],
  ];
  for (const [isFault, fault] of contradictions) if (isFault) faults.push(fault);
  return {
    mode,
    addresses: locations.map(({ address }) => address),
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

function urlFaults(
  mode: RedisSettings["mode"],
  first: RedisLocation,
  locations: readonly RedisLocation[],
): [isFault: boolean, fault: string][] {
  const differs = (field: "isTls" | "username" | "password") =>
    locations.some((location) => location[field] !== first[field]);
  return [
    [
      mode === "single" && locations.length > 1,
      "REDIS_URL has several URLs: set REDIS_MODE to sentinel or cluster, or give one URL",
    ],
    [differs("isTls"), "REDIS_URL mixes redis:// and rediss://: use one of them"],
    [
      differs("username") || differs("password"),
      "REDIS_URL has different usernames or passwords: give all URLs the same",
    ],
    [
      mode === "cluster" && locations.some(({ database }) => database !== 0),
      "REDIS_URL has a database number: a Redis Cluster has only database 0",
    ],
  ];
}
