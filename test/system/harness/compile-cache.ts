import { tmpdir } from "node:os";
import { join } from "node:path";

/** Node's compile cache, which halves the start-up time of servers. Its entries depend on the contents of the files. */
export const compileCache = join(tmpdir(), "inventory-compile-cache");
