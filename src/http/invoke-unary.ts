import type { DescMethodUnary } from "@bufbuild/protobuf";
import type { AnyMessage, UnaryMethod } from "../call/method.ts";
import { limitTime } from "../call/time-limit.ts";
import type { CallerWork } from "./caller-work.ts";
import type { HttpContext } from "./http-context.ts";

/** Serializes a response. The result is a promise for a long one. */
type Write<T> = (response: AnyMessage) => T | Promise<T>;

/**
 * Largest page that does not wait for a turn, in entries. It costs about as much as two calls for one item; a page of
 * 100 changes costs 2 ms.
 */
const shortPage = 20;

/**
 * Calls a unary method and serializes its response, until the call's deadline. If the deadline has passed already, the
 * method's implementation is not called. Calls for long pages take turns.
 *
 * @throws any error of the method; ConnectError deadline_exceeded; for a long page also the errors of `runLong`
 */
export function invokeUnary<T>(
  method: UnaryMethod,
  request: AnyMessage,
  context: HttpContext,
  work: CallerWork,
  write: Write<T>,
): Promise<T> {
  const waits = isLong(method, request, work);
  // Most calls need neither closures nor timers.
  if (waits || context.deadline !== undefined) {
    return invokeSlowly(method, request, context, write, waits ? work : undefined);
  }
  return method.invoke(request, context).then(write);
}

/** @param work runs the call in the turn of its owner; at once if undefined */
async function invokeSlowly<T>(
  method: UnaryMethod,
  request: AnyMessage,
  context: HttpContext,
  write: Write<T>,
  work: CallerWork | undefined,
): Promise<T> {
  const limit = limitTime(context, context.deadline);
  const call = () => method.invoke(request, context).then(write);
  try {
    return await limit.wait(work ? work.runLong(context.owner, context.response, call) : call());
  } catch (error) {
    throw method.mapError ? method.mapError(error, context) : error;
  } finally {
    limit.release();
  }
}

/**
 * Returns whether a request asks for a long page (https://google.aip.dev/158). Without a page size, that is the default,
 * unless the response is then a list that is cached. Methods without pages are long if `longMethods` has them.
 */
function isLong(
  { desc }: { readonly desc: DescMethodUnary },
  request: AnyMessage & { readonly pageSize?: unknown; readonly pageToken?: unknown },
  work: Pick<CallerWork, "wholeLists" | "longMethods">,
): boolean {
  const { pageSize, pageToken } = request;
  if (desc.input.field.pageSize === undefined) return work.longMethods.has(desc);
  const needsScan = work.wholeLists.get(desc);
  if (needsScan?.(request)) return true;
  if (typeof pageSize === "number") return pageSize > shortPage;
  return pageToken !== "" || !needsScan;
}
