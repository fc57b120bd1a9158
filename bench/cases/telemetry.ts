import { httpList } from "../calls.ts";
import { type Case, ours } from "../case.ts";
import { httpLoad } from "../load/http.ts";
import { ourServer } from "../servers.ts";

const load = httpLoad(httpList(10));

/** Metrics are served, and each request is checked for a trace that it belongs to, but none is sampled. */
const observed = () => ({
  ADMIN_ADDR: "127.0.0.1:0",
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
  OTEL_TRACES_SAMPLER_ARG: "0",
});

export const telemetryCase: Case = {
  name: "telemetry",
  about: "`GET /v1/inventory`, 10 items, with metrics and unsampled tracing",
  items: 10,
  // The difference is smaller than that of two runs.
  rounds: 9,
  contestants: [
    { name: ours, server: { ...ourServer, environment: observed }, load },
    {
      name: "unobserved",
      server: { ...ourServer, environment: () => ({ ADMIN_ADDR: "" }) },
      load,
    },
  ],
};
