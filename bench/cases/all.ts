import type { Case } from "../case.ts";
import { connectBinaryCase, connectJsonCase } from "./connect-list.ts";
import { grpcListCase } from "./grpc-list.ts";
import { grpcSteadyCase } from "./grpc-steady.ts";
import { grpcUpdateCase } from "./grpc-update.ts";
import { httpAloneCase } from "./http-alone.ts";
import { httpGreedyCase } from "./http-greedy.ts";
import { httpConfirmCase, httpHoldCase } from "./http-hold.ts";
import { httpListCase } from "./http-list.ts";
import { httpLongCase, httpLongGzipCase } from "./http-long.ts";
import { httpLongChangedCase } from "./http-long-changed.ts";
import { httpFloodCase, httpOverloadCase } from "./http-overload.ts";
import { httpRefusedCase } from "./http-refused.ts";
import { httpSelectedCase } from "./http-selected.ts";
import { httpUpdateCase } from "./http-update.ts";
import { limiterCase } from "./limiter.ts";
import { madeCase } from "./made.ts";
import { memoryCase } from "./memory.ts";
import { startCase } from "./start.ts";
import { telemetryCase } from "./telemetry.ts";

/** Every case, in the order of the report. */
export const allCases: readonly Case[] = [
  grpcListCase,
  grpcUpdateCase,
  grpcSteadyCase,
  connectJsonCase,
  connectBinaryCase,
  httpListCase,
  httpUpdateCase,
  httpHoldCase,
  httpConfirmCase,
  httpRefusedCase,
  httpGreedyCase,
  httpOverloadCase,
  httpFloodCase,
  httpLongCase,
  httpLongGzipCase,
  httpLongChangedCase,
  httpSelectedCase,
  httpAloneCase,
  telemetryCase,
  madeCase,
  limiterCase,
  startCase,
  memoryCase,
];
