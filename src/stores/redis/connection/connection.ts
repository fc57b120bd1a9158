import { setTimeout as pause } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { ReplyError } from "ioredis";
import { storeUnavailable } from "../../errors.ts";
import { useCluster } from "./cluster.ts";
import { endCommandSpan, startCommandSpan } from "./command-span.ts";
import { createNodeFactory, type NodeOptions, type RedisNode } from "./node.ts";
import { type Calls, type Operation, otherCommands, type Reply } from "./operation.ts";
import type { Outages } from "./outages.ts";
import { isPermissionError } from "./permissions.ts";
import { startReplyDeadline } from "./reply-deadline.ts";
import { type Commands, notConnected, type Send, sendUntilRun } from "./send.ts";
import { followSentinels } from "./sentinel.ts";
import { type RedisSettings, singleServer } from "./settings.ts";
import { startFault } from "./start-fault.ts";
import { createTimeBudget } from "./time-budget.ts";
import { type Topology, useSingleServer } from "./topology.ts";

/** Sends commands whose keys are in the slot of `key`. @param calls the calls that wait for the reply */
type Perform = <T>(key: string, send: Send<T>, operation?: Operation, calls?: Calls) => Promise<T>;

/** Connections to Redis: to one server, to the primary among its replicas, or to the nodes of a cluster. */
export interface Connection {
  /**
   * Sends reads, and changes that no response acknowledges, such as counters. They succeed or fail within a time budget, and
   * are sent again only when it is certain that no server has run them.
   *
   * @throws ConnectError unavailable when the commands fail or have no reply in time. They may have taken effect. A
   * ConnectError of `send` is thrown unchanged
   */
  readonly run: Perform;
  /**
   * Like `run`, for changes that a response acknowledges. Waits until as many replicas as the settings say have the change,
   * and fails when too few have it in time. See https://redis.io/docs/latest/commands/wait/
   */
  readonly change: Perform;
  /** Returns the slot of a key. A command may use only keys with the same slot. */
  slotOf(key: string): number;
  /** Whether the server of a key can be used now. */
  isReady(key: string): boolean;
  /** Returns the servers that have slots. */
  nodes(): readonly RedisNode[];
  /**
   * Waits until all servers can be used.
   *
   * @throws ConnectError unavailable when they cannot be used by then, or when REDIS_MODE does not fit them. The cause, if
   * it is known, is an Error with one line that names the setting and says what to do
   */
  ready(timeoutMs: number): Promise<void>;
  /** Makes the cause of an error a line that names the setting and says what to do, if Redis has refused a command. */
  explained(error: unknown): unknown;
  /** Waits until the server of a key can be used, or throws ConnectError unavailable. Others may be down. */
  readyFor(key: string, timeoutMs: number): Promise<void>;
  /** Throws ConnectError unavailable when the user of a server may not do everything that the service does. */
  checkPermissions(): Promise<void>;
  /** Connects again with the password and certificates in the files. No command fails. @throws Error if refused */
  reconnect(): Promise<void>;
  /** Closes all connections when all pending commands have their replies. */
  close(): Promise<void>;
  /** Closes all connections at once. Pending commands fail. */
  disconnect(): void;
}

/** Options of a connection. By default, time budgets are measured. `onFailure` also gets the error of every failed command. */
export interface ConnectionOptions extends Partial<Omit<NodeOptions, "settings">> {
  readonly outages?: Outages | undefined;
  /** Called with each reply and failure of commands. */
  readonly onReply?: ((reply: Reply) => void) | undefined;
}

/** How long a check after a connection waits for the other servers of a cluster, in milliseconds. */
export const othersMs = 5_000;

/** The time to wait for a server before the topology is asked again for the server of the key, in milliseconds. */
const nodeMs = 50;

/** The calls of commands that change nothing. */
const noCalls: Calls = [];

/**
 * Connects to Redis, and reconnects until the connections are closed. Without a connection, commands fail at once.
 *
 * @param target the settings, or the URL of one server
 * @throws Error that names the setting when the file of a password or certificate cannot be read
 */
export function connectRedis(
  target: RedisSettings | string,
  {
    onFailure = () => {},
    newTimeBudget = () => createTimeBudget(() => performance.now()),
    onConnect = () => {},
    outages = { lost() {}, recovered() {} },
    onReply,
  }: ConnectionOptions = {},
): Connection {
  const settings = typeof target === "string" ? singleServer(target) : target;
  const topology = createTopology({ settings, onFailure, onConnect, newTimeBudget }, outages);
  let isDisconnected = false;

  /** Makes the function that sends commands which only read, or make changes that replicas must have. */
  const performer =
    (kind: "read" | "change"): Connection["run"] =>
    async <T>(
      key: string,
      send: Send<T>,
      operation = otherCommands,
      calls: Calls = noCalls,
    ): Promise<T> => {
      const isChange = kind === "change";
      const slot = topology.slotOf(key);
      const node = topology.nodeOf(slot);
      if (!node) throw unavailable(new Error(`no server is known for slot ${slot}`));
      if (!node.isReady() && !node.isNew()) throw unavailable(notConnected(node));
      const sentAt = performance.now();
      const span = startCommandSpan(operation, calls, node.address, sentAt);
      let failure: unknown;
      const budgetMs = node.timeBudget.deadlineMs();
      const deadline = startReplyDeadline(budgetMs);
      const commands: Commands<T> = {
        slot,
        send,
        isChange,
        deadline,
        changing: isChange && !operation.isRecord ? calls : noCalls,
        sentAt: undefined,
        repliedAt: undefined,
      };
      try {
        return await deadline.limit(sendUntilRun(topology, node, commands));
      } catch (error) {
        failure = unavailable(error);
        throw failure;
      } finally {
        noteWait(node, commands, sentAt);
        const endedAt = performance.now();
        const ms = endedAt - sentAt;
        for (const call of calls) if (call?.record) call.record.storeMs += ms;
        if (span) endCommandSpan(span, failure, endedAt);
        onReply?.({ operation, ms, budgetMs, error: failure, calls });
      }
    };

  /** @returns an error when the server is part of a cluster, or a sentinel, and the settings say otherwise */
  async function otherMode(): Promise<Error | undefined> {
    if (settings.mode !== "single") return undefined;
    const [redis] = topology.nodes().map((node) => node.redis);
    // Without a connection, the failure says why.
    const info = await redis?.info("server").catch(() => "");
    const [mode] = /redis_mode:(?:cluster|sentinel)/.exec(info ?? "") ?? [];
    return mode === undefined ? undefined : new Error(mode);
  }

  /** Reports a failure, and makes the error for the caller. A ConnectError is final already. */
  function unavailable(error: unknown): ConnectError {
    const failure = error instanceof ConnectError ? error : storeUnavailable(plainError(error));
    if (failure.code === Code.Unavailable) {
      topology.refresh();
      onFailure(failure.cause);
    }
    return failure;
  }

  function faultyStart(failure: Error): ConnectError {
    return storeUnavailable(new Error(startFault(settings, failure), { cause: failure }));
  }

  return {
    run: performer("read"),
    change: performer("change"),
    slotOf: topology.slotOf,
    isReady: (key) => topology.nodeOf(topology.slotOf(key))?.isReady() ?? false,
    nodes: topology.nodes,
    async ready(timeoutMs) {
      const isReady = await topology.ready(timeoutMs);
      const refusal = isReady ? undefined : topology.failure();
      // A sentinel does not know all commands. A server that does not reply would not say its mode either.
      const canSay = isReady || refusal instanceof ReplyError;
      const failure = (canSay ? await otherMode() : undefined) ?? refusal;
      if (isReady && !failure) return;
      throw failure ? faultyStart(failure) : storeUnavailable(undefined);
    },
    explained(error) {
      const { cause } = ConnectError.from(error);
      return cause instanceof ReplyError ? faultyStart(cause as Error) : error;
    },
    async readyFor(key, timeoutMs) {
      const endsAt = performance.now() + timeoutMs;
      for (;;) {
        // A failover or a resharding can change the server of the key in the meantime.
        const node = topology.nodeOf(topology.slotOf(key));
        if (node ? await node.ready(nodeMs) : await pause(nodeMs, false)) return;
        if (isDisconnected || performance.now() >= endsAt) throw storeUnavailable(node?.failure());
      }
    },
    async checkPermissions() {
      const check = async (node: RedisNode) => {
        // Without a reply in time, the last check counts.
        const deadline = startReplyDeadline(node.timeBudget.deadlineMs());
        await deadline.limit(node.recheck()).catch(() => {});
        const failure = node.failure();
        if (isPermissionError(failure)) throw storeUnavailable(failure);
      };
      await Promise.all(topology.nodes().map(check));
    },
    async reconnect() {
      const results = await Promise.allSettled(topology.nodes().map((node) => node.reconnect()));
      for (const result of results) if (result.status === "rejected") throw result.reason;
    },
    async close() {
      topology.stop();
      await Promise.all(topology.nodes().map((node) => node.close()));
    },
    disconnect() {
      isDisconnected = true;
      topology.stop();
      for (const node of topology.nodes()) node.disconnect();
    },
  };
}

/** Notes how long the server took to reply. The time in which replicas confirm changes says nothing about the server. */
function noteWait(
  { timeBudget, commit }: RedisNode,
  { isChange, sentAt, repliedAt }: Commands<unknown>,
  begunAt: number,
): void {
  if (!isChange || !commit) timeBudget.waited(begunAt);
  else if (sentAt !== undefined) timeBudget.waited(sentAt, repliedAt);
}

function createTopology(options: NodeOptions, outages: Outages): Topology {
  const { settings, onFailure } = options;
  const createNode = createNodeFactory(options);
  switch (settings.mode) {
    case "single":
      return useSingleServer(settings.addresses[0], createNode, outages);
    case "sentinel":
      return followSentinels(settings, createNode, outages, onFailure);
    case "cluster":
      return useCluster(settings, createNode, outages, onFailure);
  }
}

/** Replaces an error of ioredis whose message advises to change an option that no operator can set. */
function plainError(error: unknown): unknown {
  const isLost = error instanceof Error && error.name === "MaxRetriesPerRequestError";
  return isLost ? new Error("the connection was closed", { cause: error }) : error;
}
