import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let gc: NodeJS.GCFunction | undefined;

/** Collects garbage, although node was started without `--expose-gc`. A new context has the function of the flag. */
export function collectGarbage(options: NodeJS.GCOptions): void {
  setFlagsFromString("--expose-gc");
  gc ??= runInNewContext("gc") as NodeJS.GCFunction;
  gc(options);
}
