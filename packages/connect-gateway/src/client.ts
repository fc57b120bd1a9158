/** Calls services in the same process, without a server, and maps their errors to HTTP. */
export { createLocalTransport } from "./call/local-transport.ts";
export { bindRoutes } from "./call/routes.ts";
export { httpErrorFrom } from "./http/error-response.ts";
