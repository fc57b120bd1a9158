import type { HonestReport } from "./honest.ts";
import type { Verdict } from "./verdict.ts";

/** Formats the verdicts as a table, followed by the findings of failed attacks. */
export function tableOf(verdicts: readonly Verdict[], unloaded: HonestReport | undefined): string {
  const rows = verdicts.map(
    ({ attack, honest, ratio, peakResident, logBytes, seconds, findings }) =>
      [
        attack.name.padEnd(44),
        `${((100 * honest.succeeded) / honest.calls).toFixed(1)} %`.padStart(7),
        `${honest.p50.toFixed(0)} ms`.padStart(8),
        `${honest.p99.toFixed(0)} ms`.padStart(8),
        `${ratio.toFixed(1)} ×`.padStart(8),
        `${honest.control.p99.toFixed(0)} ms`.padStart(8),
        `${peakResident.toFixed(0)} MB`.padStart(8),
        `${(logBytes / 1_000).toFixed(1)} KB`.padStart(9),
        `${seconds.toFixed(1)} s`.padStart(7),
        findings.length === 0 ? "  withstood" : "  FAILED",
      ].join(" "),
  );
  const details = verdicts
    .filter(({ findings }) => findings.length > 0)
    .flatMap(({ attack, findings }) => [
      `${attack.name}: ${attack.sends}`,
      ...findings.slice(0, 12).map((finding) => `    ${finding}`),
    ]);
  const total = verdicts.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    "",
    `Latency of honest requests without an attack: p99 ${unloaded?.p99.toFixed(1)} ms, p50 ${unloaded?.p50.toFixed(1)} ms.`,
    "success, p50, p99: of honest calls; latencies of those that succeeded.",
    "ratio: honest p99 during the attack, divided by the p99 without one.",
    "control: p99 of a server that does nothing, at the same time. It shows how busy the machine is.",
    "RSS: highest resident memory of the server. log: what the server logged during the attack.",
    "",
    `${"Attack".padEnd(44)} ${"success".padStart(7)} ${"p50".padStart(8)} ${"p99".padStart(8)} ${"ratio".padStart(8)} ${"control".padStart(8)} ${"RSS".padStart(8)} ${"log".padStart(9)} ${"time".padStart(7)}  verdict`,
    ...rows,
    "",
    `Withstood ${verdicts.filter(({ findings }) => findings.length === 0).length} of ${verdicts.length} attacks in ${total.toFixed(0)} s.`,
    "",
    ...details,
    "",
  ].join("\n");
}
