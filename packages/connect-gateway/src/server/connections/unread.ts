import type { BlockList, Socket } from "node:net";
import { guarded } from "../../call/guard.ts";
import { singleFlight } from "../../call/single-flight.ts";
import { limitedGroup } from "../../http/client-address.ts";
import type { Unread } from "../../http/exchange/unread.ts";
import { type KernelQueues, kernelName, kernelQueues } from "../load/kernel-queues.ts";

/** Time from an excess to the check, in milliseconds. Clients that read receive their responses in the meantime. */
const checkMs = 50;
/** Part of the time that looking up queues may take. It takes longer the more connections the machine has. */
const lookUpShare = 1 / 20;
/** Longest time between two checks because of {@link lookUpShare}, in milliseconds. */
const longestPauseMs = 1_000;
/** Bytes that are written to a connection before its queue in the kernel is looked up. */
const freeQueueBytes = 16 * 1024;

/** The bounds of the memory that waits for clients to read, in bytes. */
export interface UnreadLimits {
  /** Of the process. */
  readonly maxBytes: number;
  /** Of one client address (IPv6: of a /64). */
  readonly maxBytesPerAddress: number;
}

type Excess = "MAX_UNREAD_BYTES" | "MAX_UNREAD_BYTES_PER_ADDRESS";

export interface UnreadOptions extends UnreadLimits {
  /** Proxies, to which only the bound of the process applies: they serve many clients. */
  readonly exempt: BlockList;
  readonly report: (error: unknown) => void;
  readonly onExcess: (socket: Socket, bound: Excess) => void;
}

/** Fewest groups at which those without a connection are removed. */
const minSweep = 1_000;

interface Group {
  readonly maxBytes: number;
  readonly connections: Set<UnreadConnection>;
  bytes: number;
}

/**
 * Bounds the memory that waits for clients to read: responses, headers of their requests, and queues of the kernel.
 *
 * When the connections of an address exceed its bound, those that have waited the longest are reset, until half of the
 * bound is left. When all exceed the bound of the process, the address with the most bytes loses connections.
 */
export class UnreadLedger {
  readonly #options: UnreadOptions;
  readonly #accounts = new WeakMap<Socket, UnreadConnection>();
  readonly #groups = new Map<string, Group>();
  #sweepAt = minSweep;
  #bytes = 0;
  /** Bytes passed to the kernel since its queues were looked up. */
  #passed = 0;
  #isScheduled = false;
  /** The time from which the queues may be looked up again. */
  #nextLookUp = 0;

  constructor(options: UnreadOptions) {
    this.#options = options;
  }

  /** Opens the account of a connection, which ends when the connection closes. */
  accountOf(socket: Socket): UnreadConnection {
    const group = this.#groupOf(limitedGroup(socket.remoteAddress, this.#options.exempt));
    const connection = new UnreadConnection(this, group, socket);
    group.connections.add(connection);
    this.#accounts.set(socket, connection);
    socket.once("close", () => connection.close());
    return connection;
  }

  /** Returns how many bytes the kernel held for a connection when its queues were looked up. */
  queuedFor(socket: Socket): number {
    return this.#accounts.get(socket)?.queued ?? 0;
  }

  add(group: Group, bytes: number): void {
    group.bytes += bytes;
    this.#bytes += bytes;
    if (group.bytes > group.maxBytes || this.#bytes > this.#options.maxBytes) this.#schedule();
  }

  pass(bytes: number): void {
    this.#passed += bytes;
    if (this.#passed > this.#options.maxBytesPerAddress / 2) this.#schedule();
  }

  /** Looks up the queues of the kernel, because what clients have read must not count, then resets connections beyond a bound. */
  readonly check = singleFlight(async () => {
    if (performance.now() >= this.#nextLookUp) await this.#lookUpQueues();
    this.#enforce();
  });

  #enforce(): void {
    for (const group of this.#groups.values()) {
      if (group.bytes <= group.maxBytes) continue;
      // To a half, since connections that stay would go on sending requests, whose memory is freed late.
      this.#shrink(group, group.bytes - group.maxBytes / 2, "MAX_UNREAD_BYTES_PER_ADDRESS");
    }
    while (this.#groups.size > 0 && this.#bytes > this.#options.maxBytes) {
      const most = [...this.#groups.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a));
      // By halves, since another address can have the most bytes then.
      const excess = Math.min(this.#bytes - this.#options.maxBytes, most.bytes / 2);
      if (!this.#shrink(most, excess, "MAX_UNREAD_BYTES")) return;
    }
  }

  /** @param address undefined for proxies */
  #groupOf(address: string | undefined): Group {
    const groups = this.#groups;
    const key = address ?? "proxies";
    const known = groups.get(key);
    if (known) return known;
    // Removing a group with its last connection would change the Map all the time.
    if (groups.size >= this.#sweepAt) {
      for (const [each, { connections }] of groups) if (connections.size === 0) groups.delete(each);
      this.#sweepAt = Math.max(minSweep, 2 * groups.size);
    }
    const maxBytes = address ? this.#options.maxBytesPerAddress : Number.POSITIVE_INFINITY;
    const group: Group = { maxBytes, connections: new Set(), bytes: 0 };
    groups.set(key, group);
    return group;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const check = () => {
      this.#isScheduled = false;
      void this.check().catch(this.#options.report);
    };
    setTimeout(guarded(this.#options.report, check), checkMs).unref();
  }

  async #lookUpQueues(): Promise<void> {
    this.#passed = 0;
    const due = [...this.#groups.values()].flatMap(({ connections }) =>
      [...connections].filter((connection) => connection.mayBeQueued),
    );
    if (due.length === 0) return;
    const begun = performance.now();
    const queues = await kernelQueues();
    const now = performance.now();
    this.#nextLookUp = now + Math.min((now - begun) / lookUpShare, longestPauseMs);
    if (queues) for (const connection of due) connection.lookUp(queues);
  }

  /** @returns whether the group has lost a connection */
  #shrink(group: Group, excess: number, bound: Excess): boolean {
    const oldestFirst = [...group.connections]
      .filter(({ bytes }) => bytes > 0)
      .toSorted((a, b) => a.since - b.since);
    const target = group.bytes - excess;
    for (const connection of oldestFirst) {
      if (group.bytes <= target) break;
      connection.close();
      this.#options.onExcess(connection.socket, bound);
    }
    return oldestFirst.length > 0;
  }
}

export class UnreadConnection implements Unread {
  readonly #ledger: UnreadLedger;
  readonly group: Group;
  readonly socket: Socket;
  /** All bytes, with those that the kernel holds. */
  bytes = 0;
  /** The time since which the client has not read, on the clock of performance.now(). */
  since = 0;
  /** Bytes that the kernel held for the client when its queues were looked up. */
  queued = 0;
  /** The same with the bytes that this process had not read, such as pipelined requests. */
  #inKernel = 0;
  /** Bytes that were written when the kernel's queue was empty. */
  #readBytes = 0;
  #name: string | undefined;
  #isClosed = false;

  constructor(ledger: UnreadLedger, group: Group, socket: Socket) {
    this.#ledger = ledger;
    this.group = group;
    this.socket = socket;
  }

  hold(bytes: number, since: number): void {
    if (this.#isClosed) return;
    if (bytes < 0 || this.bytes === 0) this.since = since;
    this.bytes += bytes;
    this.#ledger.add(this.group, bytes);
  }

  pass(bytes: number): void {
    this.#ledger.pass(bytes);
  }

  get mayBeQueued(): boolean {
    return this.bytes > 0 || this.socket.bytesWritten - this.#readBytes > freeQueueBytes;
  }

  lookUp(queues: KernelQueues): void {
    if (this.socket.destroyed) return;
    this.#name ??= kernelName(this.socket);
    const { sent = 0, received = 0 } = queues.get(this.#name) ?? {};
    if (sent === 0) this.#readBytes = this.socket.bytesWritten;
    this.hold(sent + received - this.#inKernel, performance.now());
    this.#inKernel = sent + received;
    this.queued = sent;
  }

  close(): void {
    if (this.#isClosed) return;
    this.hold(-this.bytes, 0);
    this.#isClosed = true;
    this.group.connections.delete(this);
  }
}
