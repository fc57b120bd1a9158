/** The server: `createGateway`, the public services and handlers that it can serve, and what they are made of. */
export { ServerReflection } from "../gen/grpc/reflection/v1/reflection_pb.ts";
export { ServerReflection as ServerReflectionAlpha } from "../gen/grpc/reflection/v1alpha/reflection_pb.ts";
export { Health } from "../gen/health/v1/health_pb.ts";
export { NodeHeaders } from "./call/headers.ts";
export { clientAddress, clientIp } from "./http/client-address.ts";
export { parseWeights } from "./http/content/accept.ts";
export { type Content, toContent } from "./http/content/content.ts";
export { sendNegotiated } from "./http/content/send-content.ts";
export {
  type Exchange,
  forwardedFor,
  type Handler,
  peerAddress,
} from "./http/exchange/exchange.ts";
export { requestIdOf } from "./http/request-id.ts";
export type { Policy } from "./rest/rest-context.ts";
export { type HealthOptions, healthHandlers, healthRoutes } from "./rpc/health.ts";
export { reflectionRoutes } from "./rpc/reflection.ts";
export type { ListenerOptions } from "./server/connections/listener-options.ts";
export { createGateway, type Gateway } from "./server/gateway.ts";
export type {
  GatewayErrors,
  GatewayLimits,
  GatewayObservers,
  GatewayOptions,
} from "./server/gateway-options.ts";
export type { OverloadCause } from "./server/load/overload.ts";
