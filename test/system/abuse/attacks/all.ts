import type { Attack } from "./attack.ts";
import { busyConnections } from "./busy-connections.ts";
import { rapidReset } from "./cancelled-calls.ts";
import { connectionChurn, idleConnections } from "./connections.ts";
import { defaultPages, expensiveKeyed, expensivePublic, longPages } from "./expensive-messages.ts";
import { continuationFlood, hpackBomb, manyHeaders, randomFrames, tinyWindows } from "./frames.ts";
import { pipelinedKeyed, pipelinedKeyless, pipelinedPublic, streamBursts } from "./pipelining.ts";
import {
  slowBodies,
  slowHeaderBlock,
  slowHeaders,
  slowPreface,
  slowStreams,
} from "./slow-clients.ts";
import { chunkedKeyed, chunkedStranger, dataFrames } from "./small-pieces.ts";
import { unreadDocs, unreadLists } from "./unread.ts";
import { unreadMemory } from "./unread-memory.ts";
import { resumedWatches, stalledWatches } from "./watches.ts";

/** Attacks by kind, in the order in which they run. */
const kinds: readonly (readonly Attack[])[] = [
  [pipelinedKeyed, pipelinedKeyless, pipelinedPublic],
  [streamBursts],
  [chunkedKeyed, chunkedStranger, dataFrames],
  [unreadLists, unreadDocs],
  unreadMemory,
  busyConnections,
  [idleConnections, connectionChurn],
  [stalledWatches, resumedWatches],
  [rapidReset],
  [expensiveKeyed, expensivePublic],
  [longPages, defaultPages],
  [slowHeaders, slowBodies, slowPreface],
  [slowStreams, slowHeaderBlock],
  [continuationFlood, tinyWindows],
  [hpackBomb, manyHeaders],
  [randomFrames],
];

export const attacks: readonly Attack[] = kinds.flat();

/** The first attack of each kind, for the short form of the check. */
export const quickAttacks: readonly Attack[] = kinds.flatMap((kind) => kind.slice(0, 1));
