import { useEffect, useRef, useState } from "preact/hooks";
import { type CallFault, faultOf } from "./call-fault.ts";

/** A call that a user starts. */
export interface Action<Args extends unknown[]> {
  /** Starts the call. Does nothing while one is under way, so that a double click changes nothing twice. */
  run(...args: Args): Promise<void>;
  readonly isPending: boolean;
  /** The error of the last call. */
  readonly fault: CallFault | undefined;
  /** Forgets the error. */
  clear(): void;
}

/** Wraps a call in its state. */
export function useAction<Args extends unknown[]>(
  call: (...args: Args) => Promise<void>,
): Action<Args> {
  const [state, setState] = useState<{ isPending: boolean; fault?: CallFault }>({
    isPending: false,
  });
  const isBusy = useRef(false);
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  const settle = (fault?: CallFault) => {
    isBusy.current = false;
    if (isMounted.current) setState({ isPending: false, ...(fault && { fault }) });
  };
  return {
    async run(...args) {
      if (isBusy.current) return;
      isBusy.current = true;
      setState({ isPending: true });
      try {
        await call(...args);
        settle();
      } catch (error) {
        settle(faultOf(error));
      }
    },
    isPending: state.isPending,
    fault: state.fault,
    clear: () => setState(({ isPending }) => ({ isPending })),
  };
}
