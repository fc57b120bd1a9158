/** The values of OTEL_TRACES_SAMPLER. */
export const samplerNames = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** Decides which requests are traced. */
export interface Sampler {
  /** Whether the decision of a request's caller applies to the request. */
  readonly followsParent: boolean;
  /** The share of the other requests that is sampled, from 0 to 1. */
  readonly ratio: number;
}

/** Returns the sampler of the given name. @param ratio used by the samplers whose names end with `traceidratio` */
export function samplerOf(name: (typeof samplerNames)[number], ratio: number): Sampler {
  const followsParent = name.startsWith("parentbased_");
  if (name.endsWith("always_on")) return { followsParent, ratio: 1 };
  return { followsParent, ratio: name.endsWith("always_off") ? 0 : ratio };
}

/**
 * Returns the number that decides on a trace, from 0 to 1: a trace is sampled when it is less than the ratio. It is the
 * second half of the trace id, as in the SDKs of OpenTelemetry for Go, Java and Python. So a service that samples more
 * than another one has all traces of the other.
 */
export function fractionOf(traceId: string): number {
  return Number.parseInt(traceId.slice(16, 28), 16) / 2 ** 48;
}
