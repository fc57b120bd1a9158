import { readFile } from "node:fs/promises";

/** The kernel's tables of TCP connections (man 5 proc). Only Linux has them. */
const tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/** Captures the sizes of the queues and the inode of a connection whose queues are not both empty. */
const row = / [0-9A-F]{2} (?!0{8}:0{8})([0-9A-F]{8}):([0-9A-F]{8}) \S+ \S+ +\d+ +\d+ (\d+) /g;

/** The bytes that the kernel holds for a connection. */
export interface KernelQueue {
  /** Bytes that the other side has not acknowledged. */
  readonly sent: number;
  /** Bytes that this process has not read. */
  readonly received: number;
}

/** Queues that are not empty, by inode. */
export type KernelQueues = ReadonlyMap<number, KernelQueue>;

/**
 * Returns the queues of the kernel. Node and libuv cannot find out how much of a response the kernel still holds.
 *
 * @returns undefined when the kernel does not report them
 */
export async function kernelQueues(): Promise<KernelQueues | undefined> {
  const texts = await Promise.all(tables.map((path) => readFile(path, "latin1").catch(() => "")));
  if (texts.every((text) => text === "")) return undefined;
  const queues = new Map<number, KernelQueue>();
  for (const text of texts) {
    for (const [, sent = "", received = "", inode] of text.matchAll(row)) {
      queues.set(Number(inode), {
        sent: Number.parseInt(sent, 16),
        received: Number.parseInt(received, 16),
      });
    }
  }
  return queues;
}
