/** The state of a stream of events. `stale`: the server can be reached, but not its database. */
export type ConnectionState = "connecting" | "live" | "stale" | "reconnecting" | "ended";

const texts: Readonly<Record<ConnectionState, string>> = {
  connecting: "Connecting…",
  live: "Live",
  stale: "Database unavailable",
  reconnecting: "Connection lost",
  ended: "Not connected",
};

/** Shows whether the data on the page is live. Screen readers read each change. */
export function ConnectionBadge({ state }: { state: ConnectionState }) {
  return (
    <span class={`connection connection-${state}`} role="status">
      {texts[state]}
    </span>
  );
}
