/**
 * Builds the browser pages and generates the code of the protos of tests after `npm ci` and `npm install`. Does nothing
 * without the development dependencies. This file is JavaScript, so that it runs with any Node.js from version 20.
 */
try {
  import.meta.resolve("esbuild");
  await import("../packages/console/build.ts");
  await import("../packages/connect-gateway/test/write-protos.ts");
} catch (error) {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  console.log("The browser pages are not built: that needs the development dependencies (npm ci).");
}
