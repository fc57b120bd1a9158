// Sets up Node for a fast start and little memory. Import it before any TypeScript, in plain JavaScript.

// Not by name: old versions of Node lack the function, and `src/check-node.js` must be able to report them.
import * as nodeModule from "node:module";
import { setFlagsFromString } from "node:v8";

// V8 decides at its first collections which objects to allocate in its old space. There are few requests between two of
// them, because the space for young objects is small at first. So V8 would take a request for an object that lives long,
// and keep parts of all later ones until the next major collection. Set before the compile cache is enabled: V8 rejects
// code that was compiled with other flags.
setFlagsFromString("--no-allocation-site-pretenuring");

// Without a listener, this signal would open the inspector of Node. A start by npx cannot pass `--disable-sigusr1`.
process.on("SIGUSR1", () => {});

// With the cache, a second start compiles nothing, and does not load the compiler of TypeScript: 30 ms and 13 MB.
nodeModule.enableCompileCache();

// Node runs all getters of a module when ESM imports it. These ones would load its whole `fetch`: 50 ms of CPU time and
// 16 MB.
const http = process.getBuiltinModule("node:http");
for (const name of ["WebSocket", "CloseEvent", "MessageEvent"]) Reflect.deleteProperty(http, name);
