import { afterEach, beforeEach } from "vitest";
import type { RequestRecord } from "../../packages/connect-gateway/src/call/request-record.ts";
import { type App, type AppStatus, createApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/observability/log/log.ts";
import { createTracing, type Tracing } from "../../src/observability/tracing/tracing.ts";
import type { Stores } from "../../src/stores/stores.ts";
import type { ManualClock, StoreKind } from "./stores.ts";

export type LogLine = Readonly<Record<string, unknown>>;

/** A server on real sockets, with empty stores and a manual clock before each test. */
export interface ServerUnderTest {
  /** The base URL, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly port: number;
  readonly stores: Stores;
  readonly clock: ManualClock;
  /** Errors that the server logged as bugs. */
  readonly faults: readonly unknown[];
  /** The lines of the log, parsed. By default there are none, because LOG_LEVEL is `silent`. */
  readonly lines: readonly LogLine[];
  /** The records of the requests that have ended, in the order of their ends. */
  readonly records: readonly RequestRecord[];
  /** The numbers of open requests, by kind. */
  readonly inFlight: AppStatus["inFlight"] | undefined;
  /** Drains the server before the end of the test. Resolves when all connections are closed. */
  drain(graceMs: number): Promise<void>;
}

/**
 * Starts a server before each test and stops it afterwards. Call it within a `describe`.
 *
 * @param environment settings that differ from their defaults
 */
export function useServer(
  kind: StoreKind,
  environment: Readonly<Record<string, string>> = {},
): ServerUnderTest {
  const under = kind.use();
  let app: App | undefined;
  let tracing: Tracing | undefined;
  const own = {
    clock: under.clock,
    get stores() {
      return under.stores;
    },
    url: "",
    port: 0,
    faults: [] as unknown[],
    lines: [] as LogLine[],
    records: [] as RequestRecord[],
    get inFlight() {
      return app?.status().inFlight;
    },
    drain: async (graceMs: number) => app?.drain(graceMs),
  };
  beforeEach(async () => {
    const config = readConfig({ PORT: "0", LOG_LEVEL: "silent", ...environment });
    const log = createLog(config.logLevel, undefined, {
      write: (line) => own.lines.push(JSON.parse(line)),
    });
    log.error = (fault: unknown) => {
      own.faults.push(fault);
    };
    own.faults.length = 0;
    own.lines.length = 0;
    own.records.length = 0;
    const onRequestEnd = (record: RequestRecord) => void own.records.push(record);
    tracing =
      config.tracing &&
      createTracing(config.tracing, { onExported() {}, onDropped() {}, onFailure() {} });
    app = createApp(config, under.stores, log, { onRequestEnd, tracing });
    Object.assign(own, await app.listen(config.port, config.host));
  });
  afterEach(async () => {
    await app?.drain(0);
    await tracing?.close(1_000);
  });
  return own;
}
