#!/usr/bin/env node
// Starts the service. Plain JavaScript, because an older Node that cannot load TypeScript must report its version.
import "./check-node.js";
import "./node-setup.js";

import("./main.ts");
