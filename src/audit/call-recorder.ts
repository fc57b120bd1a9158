import type { DescMethod, Message } from "@bufbuild/protobuf";
import { type HasValues, requestOf } from "connect-gateway/call";
import { callerOf } from "../access/caller.ts";
import { storeContext } from "../common/call-context.ts";
import { isRead } from "../contract/annotations.ts";
import { withChangeOutcome } from "../contract/change-outcome.ts";
import { type Action, ok, recordChange, resultOf, type Trail } from "./audit-log.ts";
import { actorOf, type EntryResult } from "./body.ts";
import { summarizeRequest, summarizeResponse } from "./summary.ts";

/** Records the calls of a method. */
export interface Recorder {
  /**
   * Records a call of a change before it is made, and its result afterwards; a call of a read when it has ended.
   *
   * @param request undefined if it is a stream
   * @throws the error of `work`, or ConnectError unavailable if the call cannot be recorded
   */
  record<T extends Message>(
    request: Message | undefined,
    context: HasValues,
    work: () => Promise<T>,
  ): Promise<T>;
  /** Records a call that was refused before it was made. @throws ConnectError unavailable if it cannot be recorded */
  refuse(request: Message, context: HasValues, error: unknown): Promise<void>;
}

/** Makes the recorder of a method: its calls are entries of the audit trail. */
export function recorderOf(trail: Trail, method: DescMethod): Recorder {
  const name = `${method.parent.typeName}/${method.name}`;

  function actionOf(request: Message | undefined, context: HasValues): Action {
    const summary = request && summarizeRequest(method.input, request);
    const actor = actorOf(callerOf(context));
    return { actor, request: requestOf(context).id, method: name, ...summary };
  }

  async function append(action: Action, result: EntryResult, context: HasValues): Promise<void> {
    await trail.append({ ...action, kind: "call", result }, storeContext(context));
  }

  return {
    async record(request, context, work) {
      const action = actionOf(request, context);
      if (isRead(method)) {
        const response = await work().catch(async (error: unknown) => {
          await append(action, resultOf(error), context).catch(() => {});
          throw error;
        });
        await append(action, ok, context);
        return response;
      }
      let isMade = false;
      const make = async () => {
        const response = await work();
        isMade = true;
        return response;
      };
      const returnedBy = (response: Message) => summarizeResponse(method.output, response);
      const recording = { returnedBy, context: storeContext(context) };
      return recordChange(trail, action, make, recording).catch((error: unknown) => {
        throw isMade ? withChangeOutcome(error) : error;
      });
    },
    refuse: (request, context, error) =>
      append(actionOf(request, context), resultOf(error), context),
  };
}
