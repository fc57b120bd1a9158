import type { Setting, Variables } from "./setting.ts";
import { settings } from "./settings.ts";

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

/**
 * Finds names that are not settings. In the file CONFIG_FILE these are all unknown names. The environment has names of
 * other programs, too. So there a name is a fault only if it looks like a typo, and a warning if it is a usual name for a
 * setting, both only while the setting that was meant is not set.
 */
export function unknownNames(
  environment: Variables,
  file: ReadonlyMap<string, string>,
  path: string | undefined,
) {
  const isIn = (name: string) => environment[name] !== undefined || file.has(name);
  const isSet = (name: string) =>
    [name, `${name}_FILE`].some((each) => knownNames.includes(each) && isIn(each));
  /** With these names, the service does not start. */
  const faults: string[] = [];
  /** Names of other programs which can be meant for this one. */
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
    // Kubernetes sets REDIS_PORT to such a URL in every pod, if a service has the name redis.
    const meant = /^(?:tcp|udp):\/\//.test(value ?? "") ? undefined : usualNameOf(name);
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

function namesIn(text: string): string[] {
  return text.match(/\b[A-Z]+(?:_[A-Z]+)*\b/g) ?? [];
}

/** Names up to this length may have one typo, longer ones two. */
const longestWithOneTypo = 12;

/** Returns the setting that a name is a typo of: few letters are changed, missing, added or swapped, in any case. */
function meantBy(name: string): string | undefined {
  const upper = name.toUpperCase();
  return knownNames.find(
    (known) => known !== name && isNear(upper, known, known.length > longestWithOneTypo ? 2 : 1),
  );
}

/** Whether at most so many edits make one text of another: insertions, deletions, substitutions and swaps of neighbors. */
function isNear(a: string, b: string, edits: number): boolean {
  if (a === b || edits === 0 || Math.abs(a.length - b.length) > edits) return a === b;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  const [left, right] = [a.slice(same), b.slice(same)];
  const isAfter = (ofLeft: number, ofRight: number) =>
    isNear(left.slice(ofLeft), right.slice(ofRight), edits - 1);
  const isSwap = left[0] === right[1] && left[1] === right[0];
  return isAfter(1, 0) || isAfter(0, 1) || isAfter(1, 1) || (isSwap && isAfter(2, 2));
}
