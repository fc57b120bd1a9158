/** Counts the memory of a connection that waits for its client to read: of a request, from the time when node has its response. */
export interface Unread {
  /** Counts memory of this process. @param bytes negative when it is freed @param since when it began to wait, by performance.now() */
  hold(bytes: number, since: number): void;
  /** Counts bytes that are a sign that the kernel holds as many for the client. */
  pass(bytes: number): void;
}

/** Memory of a response that was passed to node, in bytes, without headers and body. Measured. */
export const responseBytes = 10 * 1024;

/** Largest memory of request headers that is not counted, in bytes. Nearly all requests take less. */
export const freeHeaderBytes = 4 * 1024;

/** Memory of a header in addition to its characters, in bytes: strings, and their place in arrays and objects. */
const headerOverhead = 128;

/** Returns the memory of request headers, in bytes. */
export function headerBytes(rawHeaders: readonly string[]): number {
  return headerChars(rawHeaders) + (rawHeaders.length / 2) * headerOverhead;
}

export function headerChars(rawHeaders: readonly string[]): number {
  let chars = 0;
  for (const text of rawHeaders) chars += text.length;
  return chars;
}
