import type { DescMethod, Message } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { callerOf } from "../access/caller.ts";
import { type HasValues, requestOf, storeContext } from "../call/request-info.ts";
import type { Recorder } from "../call/routes.ts";
import { withChangeOutcome } from "../contract/change-outcome.ts";
import { type Action, ok, recordChange, resultOf, type Trail } from "./audit-log.ts";
import { actorOf, type EntryResult } from "./body.ts";
import { summarizeRequest, summarizeResponse } from "./summary.ts";

/** Makes the recorder of a method: its calls are entries of the audit trail. */
export function recorderOf(trail: Trail, method: DescMethod): Recorder {
  const name = `${method.parent.typeName}/${method.name}`;
  const isRead = method.idempotency === IdempotencyLevel.NO_SIDE_EFFECTS;

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
      if (isRead) {
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
      return recordChange(trail, action, make, returnedBy, storeContext(context)).catch(
        (error: unknown) => {
          throw isMade ? withChangeOutcome(error) : error;
        },
      );
    },
    refuse: (request, context, error) =>
      append(actionOf(request, context), resultOf(error), context),
  };
}
