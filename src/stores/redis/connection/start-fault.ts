import { addressText, type RedisSettings } from "./settings.ts";

/** A kind of failure, and its message: the setting to correct, and how. */
interface Kind {
  /** Matches the code or the message of the error. */
  readonly pattern: RegExp;
  readonly fault: (settings: RedisSettings, reason: string) => string;
}

/** Why Redis refuses commands for a time, by the first word of its reply, and what an operator can do. */
const stateFaults: Readonly<Record<string, string>> = {
  OOM: "refuses changes because it has reached its maxmemory (OOM). Raise maxmemory",
  MISCONF:
    "refuses changes because it could not save its data (MISCONF). Read its log, and make room on its disk",
  NOREPLICAS:
    "refuses changes because it has fewer replicas than min-replicas-to-write (NOREPLICAS). Start its replicas",
  LOADING: "is loading its data (LOADING). Wait until it has loaded",
  BUSY: "is busy with a script (BUSY). Wait until the script ends, or end it with SCRIPT KILL",
  MASTERDOWN: "is a replica without a connection to its primary (MASTERDOWN). Start the primary",
};

/**
 * Says why Redis has refused a command for now, and what to do.
 *
 * @param error the error of the command
 * @returns undefined if the reason is another one
 */
export function refusalByState(error: unknown): string | undefined {
  const [code = ""] = error instanceof Error ? error.message.split(" ", 1) : [];
  const why = Object.hasOwn(stateFaults, code) ? stateFaults[code] : undefined;
  return why === undefined ? undefined : `Redis ${why}`;
}

/** The first kind that matches counts. */
const kinds: readonly Kind[] = [
  {
    pattern: /^REDIS_/,
    fault: (_, reason) => reason,
  },
  {
    pattern: /no such primary/,
    fault: ({ sentinelName }) =>
      `REDIS_SENTINEL_NAME is "${sentinelName}": the sentinels know no primary of this name. Set it to a name that \`SENTINEL MASTERS\` lists`,
  },
  {
    pattern: /sentinel refuses the login/,
    fault: (settings) =>
      `REDIS_URL: the sentinels at ${hosts(settings)} refuse the username or password in it, or it has none. Correct it there: REDIS_PASSWORD_FILE is for the primary`,
  },
  {
    pattern: /slots have no primary|CLUSTERDOWN/,
    fault: (settings, reason) =>
      `REDIS_URL: the cluster at ${hosts(settings)} is not whole: ${reason}. Run redis-cli --cluster check, then assign all slots or start their primaries`,
  },
  {
    pattern: /cluster support disabled/,
    fault: (settings) =>
      `REDIS_MODE is "cluster", but Redis at ${hosts(settings)} is not part of a cluster: set REDIS_MODE to single or sentinel`,
  },
  {
    pattern: /unknown command .?SENTINEL/i,
    fault: (settings) =>
      `REDIS_MODE is "sentinel", but ${hosts(settings)} is not a sentinel: set REDIS_URL to the sentinels, or REDIS_MODE to single`,
  },
  {
    pattern: /redis_mode:(?:cluster|sentinel)/,
    fault: (settings, reason) =>
      `REDIS_MODE is "single", but ${hosts(settings)} is part of a ${reason.replace("redis_mode:", "")}: set REDIS_MODE to ${reason.replace("redis_mode:", "")}`,
  },
  {
    pattern: /is a replica/,
    fault: (settings) =>
      `REDIS_URL: Redis at ${hosts(settings)} is a replica, which takes no changes. Set REDIS_URL to its primary, or REDIS_MODE to sentinel`,
  },
  {
    pattern: /^DENIED/,
    fault: (settings) =>
      `REDIS_URL: Redis at ${hosts(settings)} is in protected mode, in which it refuses other machines because it has no password. Set a password with requirepass or ACL SETUSER, and REDIS_PASSWORD_FILE to a file with it`,
  },
  {
    pattern: /unknown command/i,
    fault: (settings, reason) =>
      `REDIS_URL: Redis at ${hosts(settings)} does not know a command that the service needs (${unknownCommand(reason)}): correct the URL if that is a sentinel or older than Redis 7.0, or remove rename-command from redis.conf`,
  },
  {
    pattern: /Unknown RESP type|Protocol error/,
    fault: (settings) =>
      `REDIS_URL: ${hosts(settings)} does not speak the protocol of Redis. Correct the host and the port: another server, such as one for HTTP, uses this one`,
  },
  ...Object.entries(stateFaults).map(([code, why]) => ({
    pattern: new RegExp(`^${code}`),
    fault: (settings: RedisSettings) => `REDIS_URL: Redis at ${hosts(settings)} ${why}`,
  })),
  {
    pattern: /NOAUTH/,
    fault: (settings) =>
      `${missingPassword(settings)}, and REDIS_URL has no password, but Redis at ${hosts(settings)} requires one: set one of them`,
  },
  {
    pattern: /WRONGPASS|invalid (?:username-)?password|without any password configured/,
    fault: (settings) =>
      `${passwordSetting(settings)}: Redis at ${hosts(settings)} refuses the username or the password. Correct them, or create the user with ACL SETUSER`,
  },
  {
    pattern: /NOPERM/,
    fault: (settings, reason) =>
      `REDIS_USERNAME: the user may not use all commands and keys that the service needs (${reason}). Give it the permissions that \`inventory redis-acl\` prints, at ${hosts(settings)}`,
  },
  {
    pattern: /^SELECT/,
    fault: (settings, reason) =>
      `REDIS_URL: Redis at ${hosts(settings)} has no such database (${reason}). Correct the number at the end of the URL`,
  },
  {
    pattern: /ALTNAME/,
    fault: (settings, reason) =>
      `REDIS_TLS_SERVERNAME: the certificate of Redis at ${hosts(settings)} is for another name (${reason}). Set it to a name in the certificate`,
  },
  {
    pattern: /ALERT/,
    fault: (settings, reason) =>
      `REDIS_TLS_CERT: Redis at ${hosts(settings)} refuses the certificate of the service, or requires one (${reason}). Set REDIS_TLS_CERT and REDIS_TLS_KEY to a certificate that Redis trusts`,
  },
  {
    pattern: /CERT|SIGNATURE|ISSUER/,
    fault: (settings, reason) =>
      `REDIS_TLS_CA: the certificate of Redis at ${hosts(settings)} is not trusted (${reason}). Set it to the certificate of its authority`,
  },
  {
    pattern: /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|ERR_SSL/,
    fault: (settings, reason) =>
      `REDIS_URL: Redis at ${hosts(settings)} does not speak TLS (${reason}). Use redis:// instead of rediss://`,
  },
];

/**
 * Says why the service cannot use Redis, in one line that names the setting and what to do.
 *
 * @param error the reason why the connection is not ready
 */
export function startFault(settings: RedisSettings, error: Error): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  const text = `${code} ${error.message}`.trim();
  const reason = (error.message || code).replace(/\.$/, "");
  for (const { pattern, fault } of kinds) {
    if (pattern.test(text)) return oneLine(fault(settings, reason));
  }
  return oneLine(
    `REDIS_URL: cannot connect to Redis at ${hosts(settings)}: ${reason}. ${advice(settings, text)}`,
  );
}

function advice({ tls }: RedisSettings, text: string): string {
  const start = "Start Redis there, or correct the URL";
  if (!/RESET|TIMEDOUT|closed/.test(text)) return start;
  return tls
    ? `${start}. If Redis does not use TLS, use redis://. If it requires a client certificate, set REDIS_TLS_CERT and REDIS_TLS_KEY`
    : `${start}. If Redis uses TLS, use rediss://`;
}

function passwordSetting({ passwordFile }: RedisSettings): string {
  return passwordFile === undefined ? "REDIS_URL" : "REDIS_PASSWORD_FILE";
}

/** Says why there is no password. An empty file counts as no password. */
function missingPassword({ passwordFile }: RedisSettings): string {
  return `REDIS_PASSWORD_FILE is ${passwordFile === undefined ? "not set" : "empty"}`;
}

function hosts({ addresses }: RedisSettings): string {
  return addresses.map(addressText).join(", ");
}

/** Returns the name of the command that Redis does not know. */
function unknownCommand(reason: string): string {
  return /unknown command.? ?['`"]?([\w|]+)/i.exec(reason)?.[1]?.toUpperCase() ?? reason;
}

function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, " ");
}
