import { Code, ConnectError } from "@connectrpc/connect";
import { Redis } from "ioredis";
import { storeUnavailable } from "../errors.ts";
import { createPatience, type Patience } from "./patience.ts";

/** Sends commands in place of others that failed. */
type Instead<T> = (error: unknown) => Promise<T> | undefined;

/** A connection to Redis whose every answer comes in time, or is an error that says so. */
export interface Connection {
  readonly redis: Redis;
  /**
   * Waits for commands that were sent.
   *
   * @param instead called when they fail in time: sends others in their place, or returns undefined. It is not
   * called after the deadline, because the request has failed then
   * @throws ConnectError unavailable when they fail or are not answered in time; whether they took
   * effect is then unknown. A ConnectError of `instead` is thrown as it is
   */
  guard<T>(work: Promise<T>, instead?: Instead<T>): Promise<T>;
}

/** How long it takes at most to say goodbye, in milliseconds. */
const quitMs = 300;

/** How much longer a server that does not answer is waited for, before it is left. */
const leaveAfterMs = 700;

/**
 * Connects to Redis, and connects again for as long as the process lives. Commands are never queued
 * while there is no connection, and never sent twice.
 *
 * @param url redis:// or rediss://
 * @param onFailure told of every failure to connect, and of every command that failed
 * @param patience how long a command may take
 */
export function connectRedis(
  url: string,
  onFailure: (error: unknown) => void,
  patience: Patience = createPatience(() => performance.now()),
): Connection {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 1_000,
    disconnectTimeout: 100,
    // A server that stalls is left, so that unanswered commands do not pile up.
    socketTimeout: patience.deadlineMs() + leaveAfterMs,
    // How soon to look again at a server that loads its data.
    maxLoadingRetryTime: 500,
    // A primary that was demoted says so only when it is written to: its successor is elsewhere.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
    retryStrategy: (times) => Math.min(times * 50, 500) + Math.random() * 100,
  });
  redis.on("error", onFailure);
  return {
    redis,
    async guard(work, instead) {
      const sentAt = performance.now();
      try {
        return await withDeadline(work, patience.deadlineMs(), instead);
      } catch (error) {
        const { code, cause } = error as ConnectError;
        if (code === Code.Unavailable) onFailure(cause);
        throw error;
      } finally {
        patience.waited(sentAt);
      }
    },
  };
}

/**
 * Waits until a connection is made.
 *
 * @param timeoutMs how long to wait, in milliseconds
 * @throws ConnectError unavailable when the time passed
 */
export async function connected({ redis }: Connection, timeoutMs: number): Promise<void> {
  if (redis.status === "ready") return;
  const { promise, resolve } = Promise.withResolvers<void>();
  redis.once("ready", resolve);
  try {
    await withDeadline(promise, timeoutMs);
  } finally {
    redis.off("ready", resolve);
  }
}

/** Closes a connection, after what was sent was answered. */
export async function disconnectRedis({ redis }: Connection): Promise<void> {
  await withDeadline(redis.quit(), quitMs).catch(() => redis.disconnect());
}

function withDeadline<T>(work: Promise<T>, ms: number, instead?: Instead<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      // After the next round of I/O: an answer that only this process was late to read still counts.
      setImmediate(() => reject(storeUnavailable(new Error(`no answer within ${ms} ms`))));
    }, ms);
    const succeed = (value: T) => {
      clearTimeout(timer);
      resolve(value);
    };
    const fail = (cause: unknown) => {
      clearTimeout(timer);
      reject(cause instanceof ConnectError ? cause : storeUnavailable(cause));
    };
    work.then(succeed, (cause) => {
      const other = isLate ? undefined : instead?.(cause);
      if (other) other.then(succeed, fail);
      else fail(cause);
    });
  });
}
