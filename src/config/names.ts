import type { Setting } from "./setting.ts";
import { settings } from "./settings.ts";
import type { Variables } from "./sources.ts";

/** Every name that can be set: the settings, and `<name>_FILE` for each secret. */
const knownNames: readonly string[] = Object.entries<Setting<unknown>>(settings).flatMap(
  ([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name]),
);

/** Names that other programs and images use, and the setting of the same meaning. */
export const synonyms: readonly (readonly [name: RegExp, setting: string])[] = [
  [/^REDIS_(?:HOST|ADDR|ADDRESS|PORT|DB|DATABASE)$/, "REDIS_URL"],
  [/^REDIS_(?:TLS|SSL)$/, "REDIS_URL with rediss://"],
  [/^REDIS_(?:PASSWORD|PASS|AUTH)$/, "REDIS_PASSWORD_FILE, or REDIS_URL with the password"],
  [/^REDIS_USER$/, "REDIS_USERNAME"],
  [/^REDIS_CLUSTER$/, "REDIS_MODE"],
  [/^REDIS_SENTINELS$/, "REDIS_MODE and REDIS_URL"],
  [/^REDIS_CA$/, "REDIS_TLS_CA"],
  [/^(?:TRUST(?:ED)?_PROXY|TRUST_PROXIES|PROXY_TRUST)$/, "TRUSTED_PROXIES"],
  [/^(?:ALLOWED|CORS_ALLOW(?:ED)?)_ORIGINS$/, "CORS_ORIGINS"],
  [/^(?:LISTEN|BIND)_ADDR(?:ESS)?$/, "HOST and PORT"],
  [/^(?:LISTEN|HTTP|SERVER)_PORT$/, "PORT"],
  [/^GRPC_PORT$/, "PORT, which serves gRPC too"],
  [/^SSL_CERT$/, "TLS_CERT"],
  [/^SSL_KEY$/, "TLS_KEY"],
  [/^(?:METRICS_ADDR|METRICS_PORT|ADMIN_PORT)$/, "ADMIN_ADDR"],
  [/^LOGGING_LEVEL$/, "LOG_LEVEL"],
  [/^(?:MAX_BODY_SIZE|BODY_LIMIT)$/, "MAX_BODY_BYTES"],
  [/^(?:SHUTDOWN|GRACEFUL)_TIMEOUT$/, "DRAIN_TIMEOUT_MS"],
  [/^(?:NUM_WORKERS|WEB_CONCURRENCY)$/, "WORKERS"],
];

/** Variables that OpenTelemetry reads, from the environment alone. */
const readByExporter = /^OTEL_(?:EXPORTER_OTLP_|RESOURCE_ATTRIBUTES$|SERVICE_NAME$)/;

/** Variables of OpenTelemetry that have the names of its settings for spans, but are for log records. */
const ofLogRecords = /^OTEL_BLRP_/;

/** Names that are not settings, a line for each. */
export interface UnknownNames {
  /** With these names, the service does not start. */
  readonly faults: readonly string[];
  /** Names of other programs which can be meant for this one. */
  readonly warnings: readonly string[];
}

/**
 * Finds names that are not settings. In the file CONFIG_FILE these are all unknown names. The environment has names of
 * other programs, too. So there a name is a fault only if it looks like a typo, and a warning if it is a usual name for a
 * setting, both only while the setting that was meant is not set.
 */
export function unknownNames(
  environment: Variables,
  file: ReadonlyMap<string, string>,
  path: string | undefined,
): UnknownNames {
  const isIn = (name: string) => environment[name] !== undefined || file.has(name);
  const isSet = (name: string) =>
    [name, `${name}_FILE`].some((each) => knownNames.includes(each) && isIn(each));
  const faults: string[] = [];
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (knownNames.includes(name) || ofLogRecords.test(name)) continue;
    const typo = name.includes("_") ? meantBy(name) : undefined;
    if (typo !== undefined) {
      if (!isSet(typo)) {
        faults.push(`${name} is not a setting: did you mean ${typo}? Rename or remove it`);
      }
      continue;
    }
    const meant = isServiceLink(value) ? undefined : usualNameOf(name);
    if (meant !== undefined && !namesIn(meant).some(isSet)) {
      warnings.push(`${name} is not a setting, and has no effect: use ${meant}`);
    }
  }
  for (const name of file.keys()) {
    if (name === "CONFIG_FILE" || readByExporter.test(name)) {
      faults.push(`${name} is set in ${path}: set it in the environment`);
    } else if (!knownNames.includes(name)) {
      const meant = meantBy(name) ?? usualNameOf(name);
      const advice = meant === undefined ? "Remove it" : `Did you mean ${meant}?`;
      faults.push(`${name} in ${path} is not a setting. ${advice}`);
    }
  }
  return { faults, warnings };
}

/** Kubernetes sets REDIS_PORT to such a URL in every pod, if a service has the name redis. */
function isServiceLink(value: string | undefined): boolean {
  return /^(?:tcp|udp):\/\//.test(value ?? "");
}

/** Returns what to set in place of a name that other programs use, such as `REDIS_HOST`, `LOGLEVEL` or `DRAIN_TIMEOUT`. */
function usualNameOf(name: string): string | undefined {
  const upper = name.toUpperCase();
  const joined = upper.replaceAll("_", "");
  return (
    synonyms.find(([known]) => known.test(upper))?.[1] ??
    knownNames.find((known) => known.replaceAll("_", "") === joined && known.includes("_")) ??
    knownNames.find((known) => isExtended(known, upper) || isExtended(upper, known))
  );
}

/** Whether a name is another one with a unit or the like at its end. A name of one word can mean anything. */
function isExtended(name: string, short: string): boolean {
  return short.includes("_") && name.startsWith(`${short}_`);
}

/** The settings that a text names. */
function namesIn(text: string): string[] {
  return text.match(/\b[A-Z]+(?:_[A-Z]+)*\b/g) ?? [];
}

/** Returns the setting that a name is a typo of. */
function meantBy(name: string): string | undefined {
  return knownNames.find((known) => isTypoOf(name, known));
}

/** Names up to this length may have one typo, longer ones two. */
const longestWithOneTypo = 12;

/** Whether a name differs from another one by few letters: changed, missing, added or swapped ones, in any case. */
function isTypoOf(name: string, meant: string): boolean {
  const most = meant.length > longestWithOneTypo ? 2 : 1;
  if (name === meant || Math.abs(name.length - meant.length) > most) return false;
  return distance(name.toUpperCase(), meant) <= most;
}

/** The number of edits between two texts: insertions, deletions, substitutions and swaps of neighbors. */
function distance(a: string, b: string): number {
  const rows: number[][] = [];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 0; row <= a.length; row++) {
    const current: number[] = [];
    rows.push(current);
    for (let column = 0; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const fewest = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      current.push(row + column === 0 ? 0 : fewest);
    }
  }
  return at(a.length, b.length);
}
