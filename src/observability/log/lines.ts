import type { Fields } from "./fields.ts";
import { type Log, lineWriter } from "./log.ts";

/** Returns a function that makes a kind of line of a level. It needs to know when the line is written, for the reference. */
function ofLevel(level: "info" | "warn" | "error" | "fatal") {
  return <F extends keyof Fields = never>(
    message: string,
    { when, fields = [] }: { readonly when: string; readonly fields?: readonly F[] },
  ) => ({ level, message, when, fields });
}

const info = ofLevel("info");
const warn = ofLevel("warn");
const error = ofLevel("error");
const fatal = ofLevel("fatal");

const requestFields = [
  "method",
  "route",
  "protocol",
  "code",
  "reason",
  "complete",
  "ms",
  "storeMs",
  "bytesIn",
  "bytesOut",
  "accountId",
  "keyId",
  "client",
  "requestId",
  "traceId",
] as const;

/** All lines that the service writes. docs/operator/logs.md is generated from them. */
export const lineKinds = {
  settings: info("settings", {
    when: "The service has started. Of several workers, the first writes it. Without `REDIS_URL`, or on a terminal, human-readable text replaces this line and `listening`.",
    fields: ["node", "settings"],
  }),
  settingIgnored: warn("a variable of the environment has no effect", {
    when: "The service has started, and a name looks like a setting without being one. The reason names the setting.",
    fields: ["reason"],
  }),
  listening: info("listening", {
    when: "The process accepts connections.",
    fields: ["pid", "url"],
  }),
  sampleLoaded: info("sample data was loaded: create an API key for its account", {
    when: "Started with `--with-sample` on a Redis without data. On a terminal, the text has a key.",
    fields: ["accountId"],
  }),
  sampleNotLoaded: warn("redis has data already: no sample data was loaded", {
    when: "Started with `--with-sample` on a Redis with data.",
  }),
  unready: info("not ready any more: draining after a delay", {
    when: "SIGTERM has arrived, and balancers get time to notice.",
    fields: ["delayMs"],
  }),
  draining: info("draining", {
    when: "The process finishes open requests and accepts no connections.",
    fields: ["reason"],
  }),
  drainSkipped: warn("exiting at once: another signal", {
    when: "A signal has arrived more than a second after the first one. Open requests are aborted.",
    fields: ["reason"],
  }),
  stopped: info("stopped", {
    when: "The process exits.",
    fields: ["reason", "drainMs"],
  }),
  banned: warn("key banned", {
    when: "The key has had too many refused requests. The process that refused the last one writes the line.",
    fields: ["accountId", "keyId", "banLevel", "until"],
  }),
  banEnded: info("ban ended", {
    when: "The ban is over, or it was lifted and the key was admitted again. The process that wrote `key banned` writes this line, if it still runs.",
    fields: ["accountId", "keyId", "banLevel", "lifted"],
  }),
  redisLost: warn("redis lost", {
    when: "The service cannot use a Redis server: the connection is lost, permissions are missing, or the server is a replica. In a cluster, each server has its own lines. With Sentinel, `sentinels` are lost when none of them responds.",
    fields: ["server", "reason"],
  }),
  redisRecovered: warn("redis recovered", {
    when: "The server can be used again and accepts writes, or another server that does has replaced it.",
    fields: ["server", "outageMs"],
  }),
  redisClockSetBack: warn("the clock of redis was set back", {
    when: "Full limits and bans wait until the clock has caught up. A window that is ahead of the clock by more than its own length starts again. Check NTP on the servers of Redis.",
    fields: ["stepMs"],
  }),
  redisUnavailable: warn("redis is not available", {
    when: "A command or an attempt to connect failed. At most one line per second.",
    fields: ["reason"],
  }),
  accountListed: warn(
    "an account in use was missing in the index of accounts: it is listed again",
    {
      when: "A failover of Redis had lost the entry. Run `inventory verify --repair`: it also lists accounts that are not in use.",
      fields: ["accountId"],
    },
  ),
  accountDeletedAgain: warn("an account in use had been deleted: it was deleted again", {
    when: "A failover of Redis had brought the account back. Run `inventory verify --repair`: it also deletes such accounts that are not in use.",
    fields: ["accountId"],
  }),
  redisSilent: warn("redis does not respond yet: requests get 503 until it does", {
    when: "A worker has started without Redis.",
  }),
  redisReconnected: info("connected to redis with the current credentials", {
    when: "After SIGHUP, Redis has accepted the password and certificates in the files.",
  }),
  redisNotReconnected: error(
    "no new connection to redis with the current credentials; the old ones stay",
    {
      when: "After SIGHUP, a server has refused the password or certificates in the files, or has not responded in time.",
      fields: ["err"],
    },
  ),
  tlsReloaded: info("certificate reloaded: new connections use it", {
    when: "After SIGHUP, the process has read `TLS_CERT` and `TLS_KEY` again.",
  }),
  restartNeeded: warn("settings have changed: restart to apply them", {
    when: "After SIGHUP, `CONFIG_FILE` or `REDIS_URL_FILE` has new values that are read only at start.",
    fields: ["settings"],
  }),
  notReloaded: error("settings are not valid: nothing was reloaded", {
    when: "After SIGHUP, a setting or one of its files is invalid.",
    fields: ["faults"],
  }),
  unusableData: fatal("this version cannot use the data in redis: draining", {
    when: "A restore or another version has replaced the data.",
    fields: ["reason"],
  }),
  relayWaits: info("another process has the name of the relay: waiting until it ends", {
    when: "A [relay](relay.md) has started, and its name is in use. Once for each wait.",
    fields: ["relay"],
  }),
  relayBegins: info("relay begins", {
    when: "A relay has its name, and sends the changes after its place. A relay without a place begins with new changes.",
    fields: ["relay", "version", "isNew"],
  }),
  relayFailed: warn("a change was not delivered: retrying", {
    when: "An attempt of a relay to deliver a change has failed.",
    fields: ["relay", "version", "attempt", "reason", "delayMs"],
  }),
  adminPort: info("admin port", {
    when: "The admin port accepts connections.",
    fields: ["url"],
  }),
  noAdminPort: warn("no admin port: set ADMIN_ADDR to a free address", {
    when: "The default address of the admin port is in use, for example by another service on the machine.",
    fields: ["reason"],
  }),
  adminFault: error("a request to the admin port failed", {
    when: "The admin port responds 500.",
    fields: ["err"],
  }),
  spansLost: warn("spans are lost", {
    when: "The collector does not accept spans, or not fast enough. At most once a minute.",
    fields: ["reason", "spans"],
  }),
  audit: info("audit entry", {
    when: "The [audit trail](audit.md) has got an entry from this process. Does not depend on `LOG_LEVEL`.",
    fields: ["sequence", "entry"],
  }),
  slow: warn("slow request", {
    when: "A response took longer than `SLOW_REQUEST_MS`. Streams are exempt.",
    fields: requestFields,
  }),
  unavailable: warn("request failed: unavailable", {
    when: "The response is 502, 503 or 504, or a code of the protocol with the same meaning.",
    fields: requestFields,
  }),
  failed: error("request failed", {
    when: "The response is 500, or a code of the protocol with the same meaning. The line `a request failed because of a bug` has the error.",
    fields: requestFields,
  }),
  bug: error("a request failed because of a bug", {
    when: "The code has thrown an unexpected error. Please report it.",
    fields: ["err"],
  }),
  lowFilesLimit: warn("the limit of open files is too low", {
    when: "The service has started, and cannot open as many files as `MAX_CONNECTIONS` needs.",
    fields: ["reason"],
  }),
  outOfFiles: error("the limit of open files is reached", {
    when: "The process could not open a file or a connection. At most once a minute.",
    fields: ["reason"],
  }),
  refused: info("requests were refused with 429", {
    when: "Once a minute, if there were any, also with `RESOURCE_EXHAUSTED` over RPC. Each process counts its own requests.",
    fields: ["requests", "reasons", "keys", "topKeys"],
  }),
  connectionsDropped: warn("connections were closed because of limits", {
    when: "Once a minute, if there were any.",
    fields: ["causes"],
  }),
  linesDropped: warn("log lines were dropped", {
    when: "Once a minute, if there were any.",
    fields: ["lines"],
  }),
  access: info("request", {
    when: "A response has ended, and `ACCESS_LOG` selects it. Does not depend on `LOG_LEVEL`.",
    fields: requestFields,
  }),
  workerEnded: error("a worker ended and is replaced", {
    when: "A worker process has ended unexpectedly.",
    fields: ["worker", "exitCode", "signal", "reason"],
  }),
  uncaught: fatal("uncaught error: draining, then exiting", {
    when: "An error escaped all handlers. Please report it.",
    fields: ["err", "origin"],
  }),
};

type LineKinds = typeof lineKinds;
export type LineName = keyof LineKinds;
/** The fields of a kind of line. Those that are not known are absent. */
export type FieldsOf<N extends LineName> = {
  readonly [F in LineKinds[N]["fields"][number]]?: Fields[F] | undefined;
};

/** Writes a line. */
export function writeLine<N extends LineName>(log: Log, name: N, fields: FieldsOf<N>): void {
  const { level, message } = lineKinds[name];
  const values: object = fields;
  log[level](values, message);
}

/** Returns a function that logs entries of the audit trail: all of them, whatever the level and the limits of the log are. */
export function auditLine(log: Log): (fields: FieldsOf<"audit">) => void {
  const { level, message } = lineKinds.audit;
  return lineWriter(log, level, message);
}
