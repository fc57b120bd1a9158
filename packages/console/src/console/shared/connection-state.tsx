/**
 * The state of a stream of events. `stale`: the server can be reached, but not its database. `refused`: the server refuses
 * it for some time, such as for a limit.
 */
export type ConnectionState =
  | "connecting"
  | "live"
  | "stale"
  | "refused"
  | "reconnecting"
  | "ended";

const texts: Readonly<Record<ConnectionState, string>> = {
  connecting: "Connecting…",
  live: "Live",
  stale: "Database unavailable",
  refused: "Not connected",
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
