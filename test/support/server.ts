import { afterEach, beforeEach } from "vitest";
import { type App, createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/log.ts";
import type { Stores } from "../../src/stores.ts";
import type { DrivenClock, StoreKind } from "./stores.ts";

/** A server over real sockets, on empty stores with a driven clock before each test. */
export interface ServerUnderTest {
  /** Where it listens: `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly port: number;
  readonly stores: Stores;
  readonly clock: DrivenClock;
  /** Bugs that the server met: a test that expects none checks that it is empty. */
  readonly faults: readonly unknown[];
  /** Stops it before the test has ended. @returns when every connection is closed */
  drain(graceMs: number): Promise<void>;
}

/**
 * To be called within a `describe`: starts a server of its own before each test, and stops it after.
 *
 * @param environment settings that differ from their defaults
 */
export function useServer(
  kind: StoreKind,
  environment: Readonly<Record<string, string>> = {},
): ServerUnderTest {
  const under = kind.use();
  const own: { app?: App; url: string; port: number; faults: unknown[] } = {
    url: "",
    port: 0,
    faults: [],
  };
  beforeEach(async () => {
    const config = readConfig({ PORT: "0", LOG_LEVEL: "silent", ...environment });
    const log = createLog(config.logLevel);
    log.error = (fault: unknown) => {
      own.faults.push(fault);
    };
    own.faults.length = 0;
    own.app = createApp(config, under.stores, log);
    Object.assign(own, await own.app.listen(config.port, config.host));
  });
  afterEach(() => own.app?.drain(0));
  return {
    clock: under.clock,
    get stores() {
      return under.stores;
    },
    get url() {
      return own.url;
    },
    get port() {
      return own.port;
    },
    get faults() {
      return own.faults;
    },
    async drain(graceMs) {
      await own.app?.drain(graceMs);
    },
  };
}
