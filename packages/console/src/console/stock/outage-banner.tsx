import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ErrorBanner } from "../shared/error-banner.tsx";
import { Time } from "../text/time.tsx";
import { type LiveStock, retryNow } from "./live-stock.ts";

/** Says why the stock on the page may be old, since when, and when the page tries again. */
export function OutageBanner({ connection, fault, staleSinceMs, retryAtMs }: LiveStock) {
  const since = staleSinceMs !== undefined && (
    <p>
      Changes since <Time at={timestampFromMs(staleSinceMs)} hasSeconds /> may be missing.
    </p>
  );
  if (connection === "ended") return <ErrorBanner fault={fault} />;
  if (fault) {
    return (
      <ErrorBanner fault={fault} retry={{ atMs: retryAtMs, start: retryNow }}>
        {since}
      </ErrorBanner>
    );
  }
  return (
    connection === "stale" && (
      <div class="banner banner-warning" role="alert">
        <div>
          <p>The database is not available. The page goes on by itself when it is back.</p>
          {since}
        </div>
      </div>
    )
  );
}
