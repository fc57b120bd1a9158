/** What an attack is aimed at. */
export interface Target {
  readonly port: number;
  readonly pid: number;
  readonly redisUrl: string;
  /** Secrets of API keys; each but `honest` is for attacks alone. */
  readonly keys: Keys;
}

/** Keys that attacks use. Each account is another one. */
export interface Keys {
  /** Of an account without practical limits. */
  readonly rich: string;
  /** Of another account without practical limits. */
  readonly other: string;
  /** Of an account with the plan `free`. */
  readonly free: string;
  /** May administer. */
  readonly admin: string;
  /** A key to revoke, with its id. */
  readonly doomed: string;
  readonly doomedId: string;
}

/** One way to hurt the service, bounded in count and time. */
export interface Attack {
  /** The item it belongs to, and what it is. */
  readonly name: string;
  /** What it sends, and how much of it. */
  readonly sends: string;
  /** When it is stopped at the latest. */
  readonly seconds: number;
  /** The most that the server may log because of it, in bytes; 20 KB when absent. */
  readonly logBytes?: number;
  /**
   * Sends it, and checks what must be true of the responses and afterwards.
   *
   * @returns what was not as it must be; empty when all was
   */
  run(target: Target): Promise<readonly string[]>;
}

/** Collects what is not as it must be: each kind once, with how often it was. */
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
