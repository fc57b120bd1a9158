import type { Stores } from "../../stores/stores.ts";
import { usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { interruptible } from "../interruption.ts";
import { control, print, write } from "../output/terminal.ts";
import { withStores } from "../session/session.ts";
import { type FollowOptions, follow, followerName, type Records } from "./follow.ts";

/**
 * Returns a command that prints all records after the place of a name, as one line of JSON each, until SIGINT or SIGTERM. The
 * command throws CommandError if some of these records are lost, or are of other data.
 *
 * @param lineOf returns a record as JSON on one line
 */
export function following<R>(
  kind: "history" | "audit",
  recordsOf: (stores: Stores) => Records<R>,
  lineOf: (record: R) => string,
) {
  return (environment: Environment, name: string, options: FollowOptions): Promise<void> =>
    withStores(environment, async (stores) => {
      const { format = "table", stdout, stderr, showsProgress } = environment;
      if (format === "csv") {
        throw usageError("--output: must be json or ndjson: each record is one line of JSON");
      }
      const tell = (text: string) =>
        print(stderr, `${showsProgress ? control.restartLine : ""}${text}\n`);
      let written = 0;
      await interruptible((signal) =>
        follow({
          name: followerName(kind, name),
          records: recordsOf(stores),
          places: stores.places,
          options,
          signal,
          events: {
            onWaiting: () => tell(`another process follows as ${name}: waiting until it ends`),
            onOutage: (reason) =>
              tell(`Redis is not available: retrying until it is. Reason: ${reason}`),
            onBegin({ place, isNew }) {
              if (isNew && !options.once) tell(`${name} had no place: it begins after ${place}`);
            },
            onRead(left) {
              if (showsProgress)
                print(stderr, [control.restartLine, `${written} written, ${left} left`]);
            },
          },
          async *handOn(found) {
            const last = found.at(-1);
            if (!last) return;
            await write(stdout, found.map((record) => `${lineOf(record)}\n`).join(""));
            written += found.length;
            yield last;
          },
        }),
      );
      if (showsProgress) print(stderr, control.restartLine);
    });
}
