import { type DescMethod, hasOption, type JsonObject } from "@bufbuild/protobuf";
import { cost } from "../../../gen/rules/v1/rules_pb.ts";
import { optionOf } from "../../../packages/connect-gateway/src/call/option.ts";
import { httpErrorFrom } from "../../../packages/connect-gateway/src/client.ts";
import { sampleOf } from "../../../packaging/generate/samples/requests.ts";
import { errorTerms } from "../../../src/contract/errors.ts";
import { petNotFound } from "../../../src/services/inventory/errors.ts";
import {
  bearer,
  type Contract,
  ownAccount,
  type Parts,
  type Reply,
  unknownPet,
} from "../../contract/support.ts";
import { keyedMethods, overHttp } from "../../support/operations.ts";
import { failOnce } from "./store-faults.ts";
import { type Provocation, table } from "./table.ts";

/** A response of any operation. */
type Row = Omit<Provocation, "operationId">;

const keyed: Parts = { headers: { "idempotency-key": "delivery-17" } };

/** Returns the names of the fields of a request and of the elements of its lists. */
function fieldsOf({ input }: DescMethod): ReadonlySet<string> {
  const ofRows = input.fields.flatMap((field) =>
    field.fieldKind === "list" ? (field.message?.fields ?? []) : [],
  );
  return new Set([...input.fields, ...ofRows].map(({ name }) => name));
}

/** Sends a request as JSON over HTTP. @param request as ProtoJSON */
function sendOf(method: DescMethod, request: JsonObject, parts: Parts = {}) {
  const { line = "", body } = overHttp(method, request) ?? {};
  return ({ send }: Contract) => send(line, { ...(body !== undefined && { body }), ...parts });
}

/** Returns a request with other members in each element of its list; undefined if it has no list. */
function withRows(request: JsonObject, more: (at: number) => JsonObject): JsonObject | undefined {
  const [name, rows] = Object.entries(request).find(([, value]) => Array.isArray(value)) ?? [];
  if (name === undefined) return undefined;
  return { ...request, [name]: (rows as JsonObject[]).map((row, at) => ({ ...row, ...more(at) })) };
}

/** Responses that follow from the sample of an operation: its own errors, idempotency keys, conditions and costs. */
export function sampleProvocations(method: DescMethod): Row[] {
  return [
    ...ownErrors(method),
    ...(keyedMethods.includes(method) ? ofChange(method) : []),
    ...(hasOption(method, cost) && optionOf(method, cost).items ? [overLimit(method)] : []),
  ];
}

function ownErrors(method: DescMethod): Row[] {
  return (sampleOf(method).errors ?? []).flatMap(({ error, request, after = [], ...more }) => {
    if (!request) return [];
    const { status, reason, message } = httpErrorFrom(error, errorTerms);
    return {
      ...{ status, reason, what: message, example: more.example ?? reason },
      async ask(contract: Contract) {
        for (const [other, before] of after) await sendOf(other, before)(contract);
        return sendOf(method, request, more.headers && { headers: more.headers })(contract);
      },
    };
  });
}

/** A change that can have an idempotency key. */
function ofChange(method: DescMethod): Row[] {
  const { request } = sampleOf(method);
  const send = sendOf(method, request, keyed);
  const unknown = withRows(request, (at) => ({ petId: `${unknownPet + at}` }));
  const stale = withRows(request, () => ({ expectedVersion: "4" }));
  const sendStale = method.input.field.expectedVersion
    ? sendOf(method, request, { headers: { "if-match": '"4"' } })
    : stale && fieldsOf(method).has("expected_version") && sendOf(method, stale);
  return [
    ...table({
      async "200: it is repeated"(contract) {
        await send(contract);
        return send(contract);
      },
      "400 FIELD_INVALID: the idempotency key is not one": sendOf(method, request, {
        headers: { "idempotency-key": "a b" },
      }),
      "404 PET_NOT_FOUND: there is no such pet": sendOf(
        method,
        unknown ?? { ...request, petId: `${unknownPet}` },
        keyed,
      ),
      "409 IDEMPOTENCY_KEY_IN_USE=: the first is still in progress": (contract) =>
        whileInProgress(contract, send),
      async "422 IDEMPOTENCY_KEY_REUSED=: the key comes with another request"(contract) {
        await send(contract);
        return sendOf(method, { ...request, reference: "another" }, keyed)(contract);
      },
    }),
    ...(sendStale ? table({ "412 VERSION_MISMATCH: another version is expected": sendStale }) : []),
    ...ofStrict(method),
  ];
}

/** What a strict account must send: a condition to set a quantity, and a key for all changes but of one quantity. */
function ofStrict(method: DescMethod): Row[] {
  const { request } = sampleOf(method);
  const fields = fieldsOf(method);
  const sets = fields.has("expected_quantity") && !fields.has("delta");
  const conditioned = withRows(request, () => ({ expectedQuantity: 12 }));
  const underStrict = (sent: JsonObject) => async (contract: Contract) => {
    await contract.server.stores.accounts.update(ownAccount, { policy: "strict" });
    return sendOf(method, sent)(contract);
  };
  return [
    ...(sets
      ? table({ "428 CONDITION_REQUIRED: a condition is missing": underStrict(request) })
      : []),
    ...(!sets || conditioned
      ? table({
          "428 IDEMPOTENCY_KEY_REQUIRED=: an idempotency key is missing": underStrict(
            (sets && conditioned) || request,
          ),
        })
      : []),
  ];
}

/** A batch that counts as more requests than the account has. */
function overLimit(method: DescMethod): Row {
  const { request } = sampleOf(method);
  const { items } = optionOf(method, cost);
  const name = method.input.fields.find((field) => field.name === items)?.jsonName ?? "";
  const [first] = request[name] as JsonObject[];
  const rows = Array.from({ length: 21 }, (_, at) => ({ ...first, petId: `${at + 1}` }));
  return {
    status: 429,
    what: "it counts as more than the limit",
    reason: "BATCH_OVER_LIMIT",
    async ask(contract) {
      const limits = { perMinute: 1, perDay: 1_000 };
      const key = await contract.newAccount("bbbbbbbbbbbb", { plan: "enterprise", limits });
      const sent = sendOf(method, { ...request, [name]: rows }, { authorization: bearer(key) });
      return sent(contract);
    },
  };
}

/** Sends a request while an equal request waits for the store. */
async function whileInProgress(
  contract: Contract,
  ask: (contract: Contract) => Promise<Reply>,
): Promise<Reply> {
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  failOnce(contract, async () => {
    started.resolve();
    await release.promise;
    throw petNotFound(404n);
  });
  const first = ask(contract);
  await started.promise;
  const reply = await ask(contract);
  release.resolve();
  await first;
  return reply;
}
