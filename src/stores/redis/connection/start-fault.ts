import { addressText, type RedisSettings } from "./settings.ts";

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

/** Says why Redis has refused a command for now, and what to do; undefined if an error has another reason. */
export function refusalByState(error: unknown): string | undefined {
  const [code = ""] = error instanceof Error ? error.message.split(" ", 1) : [];
  const why = Object.hasOwn(stateFaults, code) ? stateFaults[code] : undefined;
  return why === undefined ? undefined : `Redis ${why}`;
}

/** The faults by the code or the message of the error: the first pattern that matches counts. Texts name {@link partsOf}. */
const faults: Readonly<Record<string, string>> = {
  "^REDIS_": "{reason}",
  "no such primary":
    'REDIS_SENTINEL_NAME is "{primary}": the sentinels know no primary of this name. Set it to a name that `SENTINEL MASTERS` lists',
  "sentinel refuses the login":
    "REDIS_URL: the sentinels at {hosts} refuse the username or password in it, or it has none. Correct it there: REDIS_PASSWORD_FILE is for the primary",
  "slots have no primary|CLUSTERDOWN":
    "REDIS_URL: the cluster at {hosts} is not whole: {reason}. Run redis-cli --cluster check, then assign all slots or start their primaries",
  "cluster support disabled":
    'REDIS_MODE is "cluster", but Redis at {hosts} is not part of a cluster: set REDIS_MODE to single or sentinel',
  "(?i:unknown command .?SENTINEL)":
    'REDIS_MODE is "sentinel", but {hosts} is not a sentinel: set REDIS_URL to the sentinels, or REDIS_MODE to single',
  "redis_mode:(?:cluster|sentinel)":
    'REDIS_MODE is "single", but {hosts} is part of a {mode}: set REDIS_MODE to {mode}',
  "is a replica":
    "REDIS_URL: Redis at {hosts} is a replica, which takes no changes. Set REDIS_URL to its primary, or REDIS_MODE to sentinel",
  "^DENIED":
    "REDIS_URL: Redis at {hosts} is in protected mode, in which it refuses other machines because it has no password. Set a password with requirepass or ACL SETUSER, and REDIS_PASSWORD_FILE to a file with it",
  "max number of clients":
    "REDIS_URL: Redis at {hosts} has as many connections as its maxclients allows. Raise maxclients, or close connections of others",
  "(?i:unknown command)":
    "REDIS_URL: Redis at {hosts} does not know a command that the service needs ({command}): correct the URL if that is a sentinel or older than Redis 7.0, or remove rename-command from redis.conf",
  "Unknown RESP type|Protocol error":
    "REDIS_URL: {hosts} does not speak the protocol of Redis. Correct the host and the port: another server, such as one for HTTP, uses this one",
  ...Object.fromEntries(
    Object.entries(stateFaults).map(([word, why]) => [
      `^${word}`,
      `REDIS_URL: Redis at {hosts} ${why}`,
    ]),
  ),
  NOAUTH:
    "REDIS_PASSWORD_FILE is {file}, and REDIS_URL has no password, but Redis at {hosts} requires one: set one of them",
  "WRONGPASS|invalid (?:username-)?password|without any password configured":
    "{password}: Redis at {hosts} refuses the username or the password. Correct them, or create the user with ACL SETUSER",
  NOPERM:
    "REDIS_USERNAME: the user may not use all commands and keys that the service needs ({reason}). Give it the permissions that `inventory redis-acl` prints, at {hosts}",
  "^SELECT":
    "REDIS_URL: Redis at {hosts} has no such database ({reason}). Correct the number at the end of the URL",
  ALTNAME:
    "REDIS_TLS_SERVERNAME: the certificate of Redis at {hosts} is for another name ({reason}). Set it to a name in the certificate",
  ALERT:
    "REDIS_TLS_CERT: Redis at {hosts} refuses the certificate of the service, or requires one ({reason}). Set REDIS_TLS_CERT and REDIS_TLS_KEY to a certificate that Redis trusts",
  "CERT|SIGNATURE|ISSUER":
    "REDIS_TLS_CA: the certificate of Redis at {hosts} is not trusted ({reason}). Set it to the certificate of its authority",
  "WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|ERR_SSL":
    "REDIS_URL: Redis at {hosts} does not speak TLS ({reason}). Use redis:// instead of rediss://",
};

/** Says why the service cannot use Redis, in one line that names the setting and what to do. */
export function startFault(settings: RedisSettings, error: Error): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  const text = `${code} ${error.message}`.trim();
  const reason = (error.message || code).replace(/\.$/, "");
  const other = `REDIS_URL: cannot connect to Redis at {hosts}: {reason}. ${advice(settings, text)}`;
  const [, fault = other] =
    Object.entries(faults).find(([pattern]) => new RegExp(pattern).test(text)) ?? [];
  const parts = partsOf(settings, reason);
  return fault
    .replace(/\{(\w+)\}/g, (_, name: keyof typeof parts) => parts[name])
    .replace(/\s*[\r\n]+\s*/g, " ");
}

function partsOf({ addresses, passwordFile, sentinelName }: RedisSettings, reason: string) {
  return {
    reason,
    hosts: addresses.map(addressText).join(", "),
    primary: sentinelName ?? "",
    mode: reason.replace("redis_mode:", ""),
    command: /unknown command.? ?['`"]?([\w|]+)/i.exec(reason)?.[1]?.toUpperCase() ?? reason,
    password: passwordFile === undefined ? "REDIS_URL" : "REDIS_PASSWORD_FILE",
    /** An empty file counts as no password. */
    file: passwordFile === undefined ? "not set" : "empty",
  };
}

function advice({ tls }: RedisSettings, text: string): string {
  const start = "Start Redis there, or correct the URL";
  if (!/RESET|TIMEDOUT|closed/.test(text)) return start;
  return tls
    ? `${start}. If Redis does not use TLS, use redis://. If it requires a client certificate, set REDIS_TLS_CERT and REDIS_TLS_KEY`
    : `${start}. If Redis uses TLS, use rediss://`;
}
