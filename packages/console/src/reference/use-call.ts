import { useEffect, useRef, useState } from "preact/hooks";
import { session } from "../console/shared/session.ts";
import type { ReadyRequest } from "./request.ts";
import { type Reply, send } from "./send.ts";

/** The number of messages of a stream that stay on the page. */
const keptEvents = 200;

/** The state of the last call. */
export interface CallState {
  readonly isPending: boolean;
  readonly reply?: Reply;
  /** The newest messages of a stream. */
  readonly events: readonly { readonly number: number; readonly text: string }[];
  /** The number of messages received. */
  readonly eventCount: number;
  /** Why the call has ended without a response. */
  readonly fault?: string;
}

const first: CallState = { isPending: false, events: [], eventCount: 0 };

/** Makes one call at a time, and ends it when the component disappears. */
export function useCall() {
  const [state, setState] = useState<CallState>(first);
  const current = useRef<AbortController>(undefined);
  const stop = () => current.current?.abort();
  useEffect(() => stop, []);

  async function run(request: ReadyRequest): Promise<void> {
    // A second click while a call is under way must not repeat it.
    if (current.current) return;
    const ending = new AbortController();
    current.current = ending;
    setState({ ...first, isPending: true });
    try {
      await send(
        request,
        session.get().key,
        {
          reply: (reply) => setState((before) => ({ ...before, reply })),
          event: (text) => setState((before) => withEvent(before, text)),
        },
        ending.signal,
      );
    } catch {
      const fault = "The connection to the service failed or broke. Try again.";
      if (!ending.signal.aborted) setState((before) => ({ ...before, fault }));
    } finally {
      current.current = undefined;
      setState((before) => ({ ...before, isPending: false }));
    }
  }

  return { state, run, stop };
}

function withEvent(state: CallState, text: string): CallState {
  const number = state.eventCount + 1;
  return {
    ...state,
    eventCount: number,
    events: [{ number, text }, ...state.events].slice(0, keptEvents),
  };
}
