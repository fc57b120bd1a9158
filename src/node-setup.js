// Sets up Node for a fast start. Import it before any TypeScript, in plain JavaScript.

// Not by name: old versions of Node lack the function, and `src/check-node.js` must be able to report them.
import * as nodeModule from "node:module";

// With the cache, a second start compiles nothing, and does not load the compiler of TypeScript: 30 ms and 13 MB.
nodeModule.enableCompileCache();

// Node runs all getters of a module when ESM imports it. These ones would load its whole `fetch`: 50 ms of CPU time and
// 16 MB.
const http = process.getBuiltinModule("node:http");
for (const name of ["WebSocket", "CloseEvent", "MessageEvent"]) Reflect.deleteProperty(http, name);
