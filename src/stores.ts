import type { AccountStore } from "./access/account-store.ts";
import type { AdmissionStore } from "./access/admission-store.ts";
import type { ChangeReader } from "./inventory/change-reader.ts";
import type { InventoryStore } from "./inventory/inventory-store.ts";
import type { OrderStore } from "./store/order-store.ts";

/** Everything the service keeps. Two adapters implement it: redis and memory. */
export interface Stores {
  readonly accounts: AccountStore;
  readonly admission: AdmissionStore;
  readonly inventory: InventoryStore;
  readonly orders: OrderStore;
  /** Begins to read the changes of the stock as they are made. */
  readChanges(): ChangeReader;
  /**
   * Waits until the stores can be used for the first time.
   *
   * @param timeoutMs how long to wait, in milliseconds
   * @throws ConnectError unavailable when the time passed
   */
  ready(timeoutMs: number): Promise<void>;
  /** @throws ConnectError unavailable when the stores can't be reached now */
  ping(): Promise<void>;
  /** Lets go of the stores, after what was begun has ended. */
  close(): Promise<void>;
}
