import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";

/** What node uses of its map of the streams of a session. */
interface Streams {
  get(id: number): ServerHttp2Stream | undefined;
  set(id: number, stream: ServerHttp2Stream): unknown;
  delete(id: number): boolean;
  forEach(callback: (stream: ServerHttp2Stream) => void): void;
  readonly size: number;
}

/** The streams of a session by their ids. */
class StreamTable implements Streams {
  readonly #byId: Record<number, ServerHttp2Stream> = {};
  size = 0;

  get(id: number): ServerHttp2Stream | undefined {
    return this.#byId[id];
  }

  set(id: number, stream: ServerHttp2Stream): void {
    if (!(id in this.#byId)) this.size += 1;
    this.#byId[id] = stream;
  }

  delete(id: number): boolean {
    if (!(id in this.#byId)) return false;
    delete this.#byId[id];
    this.size -= 1;
    return true;
  }

  forEach(callback: (stream: ServerHttp2Stream) => void): void {
    for (const stream of Object.values(this.#byId)) callback(stream);
  }
}

/**
 * Lets a new session find its streams in a table instead of a Map. A Map that has grown or shrunk has a new table, and its
 * old one keeps its entries and refers to the new one. Once such a table is in V8's old space, all later streams would stay
 * in memory, with their requests and responses, until the next major collection.
 */
export function useStreamTable(session: ServerHttp2Session): void {
  const symbols = Object.getOwnPropertySymbols(session);
  const kState = symbols.find(({ description }) => description === "state");
  if (kState === undefined) return;
  const state = (session as unknown as Record<symbol, { streams?: Streams }>)[kState];
  if (state?.streams?.size === 0) state.streams = new StreamTable();
}
