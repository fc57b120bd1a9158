#!/usr/bin/env node
// Starts the service. Plain JavaScript, because an older Node that cannot load TypeScript must report its version.
import "./check-node.js";

// Not by an import statement: a bundle evaluates files in another order, and older versions lack what the setup calls.
import("./node-setup.js").then(() => import("./main.ts"));
