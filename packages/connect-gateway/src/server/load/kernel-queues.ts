import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";

/** The kernel's tables of TCP connections (man 5 proc). Only Linux has them. */
const tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/** Captures the local port, the remote address, and the sizes of queues that are not both empty. */
const row =
  /:([0-9A-F]{4}) ([0-9A-F]+:[0-9A-F]{4}) [0-9A-F]{2} (?!0{8}:0{8})([0-9A-F]{8}):([0-9A-F]{8}) /g;

/**
 * The queues of connections that are not empty, by {@link kernelName}: the bytes that the other side has not acknowledged, and
 * those that this process has not read.
 */
export type KernelQueues = ReadonlyMap<
  string,
  { readonly sent: number; readonly received: number }
>;

/** Returns the name of a connection in these tables, which have addresses as words in the order of the machine. */
export function kernelName({ remoteAddress = "::", remotePort, localPort }: Socket): string {
  const bytes = Uint8Array.from(ipaddr.parse(remoteAddress).toByteArray());
  const words = Array.from(new Uint32Array(bytes.buffer), (word) => hex(word, 8));
  return nameOf(hex(localPort, 4), `${words.join("")}:${hex(remotePort, 4)}`);
}

function hex(value: number | undefined, digits: number): string {
  return (value ?? 0).toString(16).toUpperCase().padStart(digits, "0");
}

function nameOf(localPort: string, remote: string): string {
  return `${localPort} ${remote}`;
}

/** Returns the queues of the kernel, which node and libuv do not report; undefined when the kernel does not either. */
export async function kernelQueues(): Promise<KernelQueues | undefined> {
  const texts = await Promise.all(tables.map((path) => readFile(path, "latin1").catch(() => "")));
  if (texts.every((text) => text === "")) return undefined;
  const queues = new Map<string, { sent: number; received: number }>();
  for (const text of texts) {
    for (const [, port = "", remote = "", sent = "", received = ""] of text.matchAll(row)) {
      const queue = { sent: Number.parseInt(sent, 16), received: Number.parseInt(received, 16) };
      queues.set(nameOf(port, remote), queue);
    }
  }
  return queues;
}
