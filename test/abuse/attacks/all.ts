import { keylessList, manyAddresses } from "./addresses.ts";
import type { Attack } from "./attack.ts";
import { busyConnections } from "./busy-connections.ts";
import { honestCancelling, rapidReset } from "./cancelled-calls.ts";
import { batchFlood, manyOrders, others, storedRefusals } from "./changes.ts";
import { connectionChurn, idleConnections } from "./connections.ts";
import { defaultPages, expensiveKeyed, expensivePublic, longPages } from "./expensive-messages.ts";
import {
  continuationFlood,
  emptyContinuations,
  emptyData,
  hpackBomb,
  manyHeaders,
  pingFlood,
  priorityFlood,
  randomFrames,
  settingsFlood,
  tinyWindows,
  unknownFrames,
  windowOverflow,
} from "./frames.ts";
import { grpcWebText } from "./grpc-web-text.ts";
import { healthWatches } from "./health-watches.ts";
import { bombsAttack, endlessBodies, oversizedBodies } from "./large-bodies.ts";
import { longHeader, longNumber, longPath } from "./long-input.ts";
import { malformedRequests } from "./malformed.ts";
import { nesting } from "./nesting.ts";
import { pipelinedKeyed, pipelinedKeyless, pipelinedPublic, streamBursts } from "./pipelining.ts";
import { absoluteForm, badHost } from "./request-targets.ts";
import { publicPlaces, unaryPlaces } from "./shared-places.ts";
import {
  slowBodies,
  slowHeaderBlock,
  slowHeaders,
  slowPreface,
  slowStreams,
} from "./slow-clients.ts";
import { chunkedKeyed, chunkedStranger, dataFrames } from "./small-pieces.ts";
import { closedWindow, unreadDocs, unreadLists } from "./unread.ts";
import { unreadMemory } from "./unread-memory.ts";
import { manyWatches, resumedWatches, stalledWatches } from "./watches.ts";

/** All attacks, in the order in which they run. */
export const attacks: readonly Attack[] = [
  grpcWebText,
  longPath,
  longNumber,
  longHeader,
  pipelinedKeyless,
  pipelinedKeyed,
  pipelinedPublic,
  streamBursts,
  chunkedStranger,
  chunkedKeyed,
  dataFrames,
  unreadDocs,
  unreadLists,
  closedWindow,
  ...unreadMemory,
  ...busyConnections,
  idleConnections,
  connectionChurn,
  manyAddresses,
  keylessList,
  badHost,
  absoluteForm,
  manyWatches,
  stalledWatches,
  resumedWatches,
  batchFlood,
  others,
  manyOrders,
  storedRefusals,
  honestCancelling,
  rapidReset,
  healthWatches,
  publicPlaces,
  unaryPlaces,
  oversizedBodies,
  endlessBodies,
  bombsAttack,
  expensivePublic,
  expensiveKeyed,
  longPages,
  defaultPages,
  nesting,
  malformedRequests,
  slowHeaders,
  slowBodies,
  slowPreface,
  slowHeaderBlock,
  slowStreams,
  continuationFlood,
  emptyContinuations,
  pingFlood,
  settingsFlood,
  priorityFlood,
  unknownFrames,
  emptyData,
  windowOverflow,
  tinyWindows,
  hpackBomb,
  manyHeaders,
  randomFrames,
];

/** An attack of each kind, in the order in which they run in the short form of the check. */
export const quickAttacks: readonly Attack[] = [
  grpcWebText,
  longHeader,
  pipelinedKeyed,
  streamBursts,
  chunkedKeyed,
  unreadLists,
  ...unreadMemory.slice(0, 1),
  ...busyConnections.slice(0, 1),
  idleConnections,
  manyAddresses,
  badHost,
  manyWatches,
  stalledWatches,
  batchFlood,
  rapidReset,
  healthWatches,
  publicPlaces,
  bombsAttack,
  expensiveKeyed,
  longPages,
  nesting,
  malformedRequests,
  slowHeaders,
  slowStreams,
  continuationFlood,
  hpackBomb,
  randomFrames,
];
