import { create } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { AccountUsageSchema } from "../../../../../gen/usage/v1/usage_pb.ts";
import { usage as usageClient } from "../shared/api.ts";
import { QueryBanner } from "../shared/error-banner.tsx";
import { serviceNowMs } from "../shared/service-clock.ts";
import { useQuery } from "../shared/use-query.ts";
import { useTitle } from "../shared/use-title.ts";
import { durationText } from "../text/time-text.ts";
import { useNow } from "../text/use-now.ts";
import { KeyUses } from "./key-uses.tsx";
import { countsOf } from "./outcomes.ts";
import { pollIntervalMs } from "./poll-interval.ts";
import { nowByReport, type ReceivedUsage } from "./report-time.ts";
import { UsageReport } from "./usage-report.tsx";

/** The usage of the account of this key: limits, requests over time, and keys. */
export function UsageView() {
  useTitle("My usage");
  const [livelySince, setLivelySince] = useState(() => serviceNowMs());
  const [limits, setLimits] = useState({ perMinute: 0, perDay: 0 });
  const now = useNow();
  const everyMs = pollIntervalMs(limits, now - livelySince);
  const report = useQuery(
    async (signal) => {
      const { usage = create(AccountUsageSchema), keyId } = await usageClient.getUsage(
        {},
        { signal },
      );
      setLimits({
        perMinute: Number(usage.minute?.limit ?? 0n),
        perDay: Number(usage.day?.limit ?? 0n),
      });
      return { usage, ownKeyId: keyId, receivedMs: serviceNowMs() };
    },
    [],
    everyMs,
  );
  const updateNow = () => {
    setLivelySince(serviceNowMs());
    report.reload();
  };
  return (
    <>
      <header class="view-header">
        <h1>My usage</h1>
        <p class="muted">
          Updated every {durationText(everyMs)}. Each update counts as one request.
        </p>
        <button type="button" onClick={updateNow} disabled={report.isLoading}>
          Update now
        </button>
      </header>
      <QueryBanner query={report} />
      {report.data && <OwnUsage {...report.data} localNowMs={now} />}
    </>
  );
}

function OwnUsage(
  props: ReceivedUsage & { readonly ownKeyId: string; readonly localNowMs: number },
) {
  const { usage, ownKeyId, localNowMs } = props;
  const nowMs = nowByReport(props, localNowMs);
  const today = usage.lastDays.at(-1)?.keys ?? [];
  const requests = new Map(today.map((key) => [key.keyId, countsOf(key.requests)]));
  return (
    <>
      <p>
        Account <strong>{usage.name}</strong> <code>{usage.accountId}</code>, plan{" "}
        <strong>{usage.plan}</strong>
      </p>
      <UsageReport usage={usage} nowMs={nowMs} />
      <section class="part">
        <h2>Keys</h2>
        <KeyUses keys={usage.keys} ownKeyId={ownKeyId} today={requests} nowMs={nowMs} />
      </section>
    </>
  );
}
