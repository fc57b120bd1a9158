import type { DescMethod, Message } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Caller } from "../access/caller.ts";
import type { Call } from "../call/method.ts";
import type { Recorder } from "../call/recorder.ts";
import { withChangeOutcome } from "../contract/change-outcome.ts";
import { type Action, ok, recordChange, resultOf, type Trail } from "./audit-log.ts";
import { actorOf, type EntryResult } from "./body.ts";
import { summarizeRequest, summarizeResponse } from "./summary.ts";

/** Makes the recorder of a method: its calls are entries of the audit trail. */
export function recorderOf(trail: Trail, method: DescMethod): Recorder<Caller> {
  const name = `${method.parent.typeName}/${method.name}`;
  const isRead = method.idempotency === IdempotencyLevel.NO_SIDE_EFFECTS;

  function actionOf(request: Message | undefined, { caller, requestId }: Call<Caller>): Action {
    const summary = request && summarizeRequest(method.input, request);
    return { actor: actorOf(caller), request: requestId, method: name, ...summary };
  }

  async function append(action: Action, result: EntryResult, call: Call<Caller>): Promise<void> {
    await trail.append({ ...action, kind: "call", result }, call);
  }

  return {
    async record(request, call, work) {
      const action = actionOf(request, call);
      if (isRead) {
        const response = await work().catch(async (error: unknown) => {
          await append(action, resultOf(error), call).catch(() => {});
          throw error;
        });
        await append(action, ok, call);
        return response;
      }
      let isMade = false;
      const make = async () => {
        const response = await work();
        isMade = true;
        return response;
      };
      const returnedBy = (response: Message) => summarizeResponse(method.output, response);
      return recordChange(trail, action, make, returnedBy, call).catch((error: unknown) => {
        throw isMade ? withChangeOutcome(error) : error;
      });
    },
    refuse: (request, call, error) => append(actionOf(request, call), resultOf(error), call),
  };
}
