import { TickBudget } from "../../http/tick-budget.ts";

/**
 * The work of a refusal, in units of a short request. It is so large that refusals leave most of a tick to requests
 * that are served.
 */
const steps = 8;

/** Most refusals that wait. Further ones are sent at once, because waiting requests take memory. */
const maxWaiting = 4_096;

/**
 * Limits the refusals that one event-loop tick sends. A client that repeats its refused requests at once would otherwise
 * keep the process from serving those that it has admitted.
 *
 * @returns sends the refusal of a client, now or in a later tick. Clients take turns. `refuse` must not throw
 */
export function createRefusalTurns() {
  const budget = new TickBudget("refusals");
  let waiting = 0;
  return (client: string | undefined, refuse: () => void): void => {
    if (waiting >= maxWaiting || (!budget.hasDeferred && budget.take(steps))) {
      refuse();
      return;
    }
    waiting += 1;
    const work = () => {
      waiting -= 1;
      refuse();
      return true;
    };
    budget.defer(client, work, steps);
  };
}
