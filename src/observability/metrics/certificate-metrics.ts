import { X509Certificate } from "node:crypto";
import { set } from "../telemetry/metric.ts";
import type { Registry } from "../telemetry/registry.ts";
import { metrics } from "./definitions.ts";

/** Sets when the server's certificate expires. Call it again when the certificate has changed. */
export function setCertificateEnd(registry: Registry, chain: string | Buffer): void {
  const { validToDate } = new X509Certificate(chain);
  set(registry.family(metrics.certificateEnd).with("server"), validToDate.getTime() / 1_000);
}
