import type { AccountStore } from "./account-store.ts";
import type { AdmissionStore } from "./admission-store.ts";
import type { AuditStore } from "./audit-store.ts";
import type { CatalogStore } from "./catalog-store.ts";
import type { HoldStore, HoldTotals } from "./hold-store.ts";
import type { InventoryStore } from "./inventory-store.ts";
import type { IdChoice, OrderLimits, OrderStore } from "./order-store.ts";
import type { PlaceStore } from "./place-store.ts";
import type { ChangeReader, HistoryLimits, OnRevoked } from "./stock-change.ts";
import type { UsageStore } from "./usage-store.ts";

/** The state of a server that has data. */
export type ServerStatus =
  | {
      /** `<host>:<port>` */
      readonly address: string;
      /** The time until its reply, in milliseconds; undefined when it did not reply in time. */
      readonly latencyMs: number;
      /** Why it does not accept the service's commands, such as LOADING or NOPERM; undefined if it accepts at least some. */
      readonly refusal: string | undefined;
      /** Memory in use and its limit in bytes; 0 for no limit. */
      readonly memoryUsed: number;
      readonly memoryMax: number;
      readonly replicas: number;
      /** Time since the last acknowledgment of the slowest replica. */
      readonly replicaLagSeconds: number;
      /** Whether the last attempts to write the data to disk succeeded. */
      readonly isSaved: boolean;
    }
  | { readonly address: string; readonly latencyMs: undefined };

/** The state of the stores. */
export interface StoresStatus {
  /** Empty when all data is in the memory of the process. */
  readonly servers: readonly ServerStatus[];
  /** The history of the stock; undefined when it could not be read. */
  readonly history:
    | {
        readonly changes: number;
        /** When the oldest change was made, in milliseconds since the epoch; undefined without changes. */
        readonly oldestAt: number | undefined;
      }
    | undefined;
  /** Undefined when they could not be read. */
  readonly holds: HoldTotals | undefined;
}

/** Options of both implementations of {@link Stores}. */
export interface StoresOptions {
  /** Limits of the history. Without them, changes remove nothing. */
  readonly history?: HistoryLimits | undefined;
  /** Limits of the orders of each account; none when absent. */
  readonly orders?: OrderLimits | undefined;
  /** The highest number of entries of the audit trail; no limit when absent. */
  readonly auditLength?: number | undefined;
  /** Chooses the random numbers of order ids; `chooseId` when absent. */
  readonly chooseOrderId?: (() => IdChoice) | undefined;
}

/** All persistent data of the service. There are two implementations: `redis` and `memory`. */
export interface Stores {
  readonly accounts: AccountStore;
  readonly admission: AdmissionStore;
  readonly audit: AuditStore;
  readonly catalog: CatalogStore;
  readonly holds: HoldStore;
  readonly inventory: InventoryStore;
  readonly orders: OrderStore;
  readonly places: PlaceStore;
  readonly usage: UsageStore;
  /** Makes a reader of the stock's changes, as they are made. */
  readChanges(onRevoked?: OnRevoked): ChangeReader;
  /**
   * Waits for the first connection.
   *
   * @throws ConnectError unavailable when there is none by then, or the stored data has a format that this version cannot
   * use. Its cause is the reason if it is known: one line that names the setting and says what to do
   */
  ready(timeoutMs: number): Promise<void>;
  /** Connects again with the passwords and certificates in the files. No operation fails. @throws Error if refused */
  reconnect(): Promise<void>;
  /** @throws ConnectError unavailable when the stores cannot be reached, or would refuse a write */
  ping(): Promise<void>;
  /** Reads the state of all servers. Takes at most about half a second, and never fails. */
  status(): Promise<StoresStatus>;
  /** Closes the stores when all pending operations have ended. */
  close(): Promise<void>;
}
