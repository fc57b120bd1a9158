import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type AdminService,
  type AuditEntry,
  AuditEntryKindSchema,
  AuditEntrySchema,
  type ListAuditEntriesRequest,
} from "../../../gen/admin/v1/admin_pb.ts";
import { decodeBody, type Values } from "../../audit/body.ts";
import { findEntries, operatorText, type TrailFilter } from "../../audit/search.ts";
import { type CallContext, storeContext } from "../../common/call-context.ts";
import { enumNumber, enumWord } from "../../common/enum-word.ts";
import { fieldInvalid } from "../../contract/errors.ts";
import type { AuditStore, AuditEntry as StoredEntry, TrailEnds } from "../../stores/audit-store.ts";
import type { Stores } from "../../stores/stores.ts";
import {
  defaultPageSize,
  pageToken,
  pageTokenStale,
  positionOfPage,
} from "../inventory/page-token.ts";
import { checkAbsent } from "./checks.ts";

/** Creates the method of admin.v1.AdminService for the audit trail. */
export function auditFunctions({ audit }: Pick<Stores, "audit">) {
  return {
    async listAuditEntries(request, context) {
      const { pageSize = defaultPageSize, afterSequence } = request;
      if (afterSequence !== undefined) {
        const { pageToken, actor, method, startTime, endTime, kind } = request;
        const others = { actor, method, start_time: startTime, end_time: endTime, kind };
        checkAbsent({ page_token: pageToken, ...others }, "after_sequence");
        const from = Number(afterSequence) + 1;
        const { entries, ends } = await audit.read(from, pageSize, storeContext(context));
        return { entries: entries.map(entryMessage), trail: trailMessage(ends) };
      }
      const call = storeContext(context);
      const below = await belowOf(audit, request.pageToken, call);
      const filter = filterOf(request);
      const { entries, last, ends } = await findEntries(
        audit,
        filter,
        { below, limit: pageSize },
        call,
      );
      return {
        entries: entries.map(entryMessage),
        nextPageToken: last ? pageToken("audit", `${last.sequence} ${last.time}`) : "",
        trail: trailMessage(ends),
      };
    },
  } satisfies Partial<ServiceImpl<typeof AdminService>>;
}

/**
 * Reads the sequence number below which a page begins; undefined for the first page.
 *
 * @throws ConnectError invalid_argument if the token is malformed, or belongs to another trail
 */
async function belowOf(
  store: Pick<AuditStore, "read">,
  token: string,
  context: CallContext,
): Promise<number | undefined> {
  const match = positionOfPage("audit", token, /^([1-9]\d{0,15}) (\d{1,16})$/);
  if (!match) return undefined;
  const [below, time] = match.slice(1).map(Number) as [number, number];
  const { entries, ends } = await store.read(below, 1, context);
  // If the entry was trimmed, there is no other one to take for it.
  const last = entries.find(({ sequence }) => sequence === below);
  if (below > ends.newest || (last && last.time !== time)) throw pageTokenStale();
  return below;
}

function filterOf(request: ListAuditEntriesRequest): TrailFilter {
  const { actor, method, startTime, endTime, kind } = request;
  if (startTime && endTime && timestampMs(startTime) >= timestampMs(endTime)) {
    throw fieldInvalid("end_time", "must be later than start_time");
  }
  return {
    ...(kind.length > 0 && { kinds: kind.map((each) => enumWord(AuditEntryKindSchema, each)) }),
    ...(actor !== "" && { actor }),
    ...(method !== "" && { method }),
    ...(startTime && { since: timestampMs(startTime) }),
    ...(endTime && { before: timestampMs(endTime) }),
  };
}

function trailMessage({ oldest, newest }: TrailEnds) {
  return { oldestSequence: BigInt(oldest), newestSequence: BigInt(newest) };
}

/** Returns the members that are texts. Others are numbers of pets. */
function textsIn(values: Values): Record<string, string> {
  const texts = Object.entries(values).filter((each) => typeof each[1] === "string");
  return Object.fromEntries(texts) as Record<string, string>;
}

/** Returns an entry as a message. A body that cannot be decoded was changed by somebody: only the body has it then. */
function entryMessage({ sequence, time, body }: StoredEntry): AuditEntry {
  const decoded = decodeBody(body);
  const actor = decoded?.actor;
  return create(AuditEntrySchema, {
    sequence: BigInt(sequence),
    time: timestampFromMs(time),
    kind: enumNumber(AuditEntryKindSchema, decoded?.kind ?? ""),
    beginSequence: BigInt(decoded?.of ?? 0),
    ...(actor && "key" in actor && { keyId: actor.key, accountId: actor.account }),
    ...(actor && "user" in actor && { operator: operatorText(actor) }),
    requestId: decoded?.request ?? "",
    method: decoded?.method ?? "",
    targets: textsIn({ ...decoded?.returned, ...decoded?.targets }),
    code: decoded?.result?.code ?? "",
    reason: decoded?.result?.reason ?? "",
    body,
  });
}
