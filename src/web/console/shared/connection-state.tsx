/** The state of a stream of events. */
export type ConnectionState = "connecting" | "live" | "reconnecting" | "ended";

const texts: Readonly<Record<ConnectionState, string>> = {
  connecting: "Connecting…",
  live: "Live",
  reconnecting: "Connection lost. Reconnecting…",
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
