/** The outcomes of requests that usage counts. */
export type CountedOutcome = "admitted" | "limited" | "banned";

/** Counts the requests of accounts, for reports. It decides nothing. */
export interface UsageCounter {
  /**
   * Counts requests. Does no I/O and never throws.
   *
   * @param at when they were decided, by the store's clock: milliseconds since the epoch
   * @param requests how many; negative to take back requests that were counted with the same outcome and time
   */
  count(
    caller: { readonly accountId: string; readonly keyId: string },
    outcome: CountedOutcome,
    at: number,
    requests: number,
  ): void;
}
