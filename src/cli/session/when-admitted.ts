import { setTimeout as delay } from "node:timers/promises";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import { RetryInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { reasonOf } from "../../contract/errors.ts";
import type { Environment } from "../environment.ts";
import { print } from "../output/terminal.ts";

/** Longest wait until a request limit has room, in milliseconds. The limit of a minute needs less, that of a day more. */
const longestWaitMs = 120_000;

/**
 * Makes a call. When a request limit is reached, waits until the server would admit the call, says so, and makes it again.
 *
 * @throws ConnectError also when the limit has no room for {@link longestWaitMs}
 */
export async function whenAdmitted<T>(
  { stderr, jsonErrors }: Pick<Environment, "stderr" | "jsonErrors">,
  call: () => Promise<T>,
  pause: (ms: number) => Promise<unknown> = delay,
): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const waitMs = waitOf(error);
      if (waitMs === undefined || waitMs > longestWaitMs) throw error;
      const seconds = Math.ceil(waitMs / 1_000);
      if (!jsonErrors)
        print(stderr, `waiting ${seconds} s: the account's request limit is reached\n`);
      await pause(waitMs);
    }
  }
}

/** Returns after how long a call that a request limit has refused would be admitted; undefined for other errors. */
function waitOf(error: unknown): number | undefined {
  if (!(error instanceof ConnectError) || reasonOf(error) !== "RATE_LIMITED") return undefined;
  const [info] = error.findDetails(RetryInfoSchema);
  return info?.retryDelay && durationMs(info.retryDelay);
}
