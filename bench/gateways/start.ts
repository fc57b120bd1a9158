import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../case.ts";
import { checkPeer, listJson } from "./calls.ts";
import type { Peer, RunningPeer } from "./peers.ts";

/** A running peer whose responses are right. */
export interface CheckedPeer extends Peer, RunningPeer {
  /** What a load needs, except for a duration. */
  readonly run: Omit<Run, "seconds">;
  /** Stops all its processes. */
  stop(): Promise<void>;
}

/**
 * Starts a peer, and checks its responses.
 *
 * @param scratch a folder for files
 * @throws Error that names the peer and the call whose response is wrong
 */
export async function startPeer(peer: Peer, scratch: string): Promise<CheckedPeer> {
  const books = join(scratch, "books.json");
  writeFileSync(books, JSON.stringify(listJson));
  const context = { redisUrl: "", scratch, nodeOptions: [] };
  const running = await peer.start(context, books);
  const stop = async () => {
    for (const { stop } of running.processes) await stop();
  };
  const run = {
    ...context,
    server: running.server,
    spec: running.spec,
    redisPid: 0,
    data: { keys: [], spentKeys: [], greedyKey: "" },
    quick: false,
  };
  try {
    await checkPeer(peer, { ...run, seconds: 0 });
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...peer, ...running, run, stop };
}
