/** The server that an attack targets. */
export interface Target {
  readonly port: number;
  /** Secrets of the API keys that attacks may use. */
  readonly keys: Keys;
}

/** Keys that attacks use. Each belongs to a different account. */
export interface Keys {
  /** The account has practically no limits. */
  readonly rich: string;
  /** A second account with practically no limits. */
  readonly other: string;
  /** The key has all scopes. */
  readonly admin: string;
  /** A key that the attack may revoke, and its id. */
  readonly doomed: string;
  readonly doomedId: string;
}

/** One attempt to harm the service, with bounded requests and time. */
export interface Attack {
  /** A short title for the report. */
  readonly name: string;
  /** The kind and number of requests that the attack sends. */
  readonly sends: string;
  /** Time limit of the attack, in seconds. */
  readonly seconds: number;
  /**
   * Time in ms by which the honest p99 may exceed `p99Factor` times its unloaded value, because all requests of the
   * attack come at once. Default: 0.
   */
  readonly burstMs?: number;
  /** Most resident memory of the server, in MB, if it is more than for other attacks. */
  readonly residentMegabytes?: number;
  /**
   * Sends the requests, and checks the responses and the state of the server afterwards.
   *
   * @returns the violated expectations; empty if there are none
   */
  run(target: Target): Promise<readonly string[]>;
}

/** Collects violated expectations: each message once, with its count. */
export interface Findings {
  expect(condition: boolean, otherwise: string): void;
  readonly list: readonly string[];
}

export function createFindings(): Findings {
  const counts = new Map<string, number>();
  return {
    expect(condition, otherwise) {
      if (!condition) counts.set(otherwise, (counts.get(otherwise) ?? 0) + 1);
    },
    get list() {
      return [...counts].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
    },
  };
}
