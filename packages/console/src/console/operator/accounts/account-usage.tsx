import { admin } from "../../shared/api.ts";
import { QueryBanner } from "../../shared/error-banner.tsx";
import { PartHeader } from "../../shared/part-header.tsx";
import { serviceNowMs } from "../../shared/service-clock.ts";
import { useQuery } from "../../shared/use-query.ts";
import { useNow } from "../../text/use-now.ts";
import { nowByReport } from "../../usage/report-time.ts";
import { UsageReport } from "../../usage/usage-report.tsx";

/** The usage of an account. */
export function AccountUsagePart({ accountId }: { readonly accountId: string }) {
  const now = useNow();
  const report = useQuery(
    async (signal) => {
      const { usage } = await admin.getAccountUsage({ accountId }, { signal });
      return usage && { usage, receivedMs: serviceNowMs() };
    },
    [accountId],
  );
  return (
    <section class="part">
      <PartHeader title="Usage" query={report} />
      <QueryBanner query={report} />
      {report.data && (
        <UsageReport usage={report.data.usage} nowMs={nowByReport(report.data, now)} />
      )}
    </section>
  );
}
