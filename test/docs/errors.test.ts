import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codeName } from "../../packages/connect-gateway/src/call/rpc-names.ts";
import {
  type ErrorKind,
  httpTerms,
} from "../../packages/connect-gateway/src/http/generic-errors.ts";
import { catalogue } from "../../src/contract/catalogue.ts";

const intro = `# Errors

Set the [API key](README.md#before-the-examples) first. An error has a status, a code, a reason and a message:

\`\`\`console
$ curl -si -H "Authorization: Bearer $INVENTORY_API_KEY" http://127.0.0.1:8080/v1/inventory/10001 | grep -iE '^(HTTP|x-error|[{])'
HTTP/1.1 404 Not Found
x-error-reason: PET_NOT_FOUND
{"code":"not_found","message":"Pet 10001 is not in the inventory.","status":404}
\`\`\`

Programs should use the reason, which never changes. Messages are for humans and can change.

| What | JSON over HTTP | RPC |
| --- | --- | --- |
| reason | header \`X-Error-Reason\` | \`google.rpc.ErrorInfo\` with the domain \`inventory\` |
| code | \`code\` in the body: if a row below has two codes, the one after HTTP | the code of the call |
| invalid fields | \`message\` | \`google.rpc.BadRequest\`: at most 20 fields, then the number of further ones |
| time to wait | header \`Retry-After\`, in seconds | \`google.rpc.RetryInfo\` |
| whether the change of a failed request may have been made | header \`X-Change-Outcome\`: \`unchanged\` or \`unknown\` | \`changeOutcome\` in the metadata of ErrorInfo |
| the limit that is reached | header \`RateLimit\` | \`google.rpc.QuotaFailure\`: \`quota_id\` is \`minute\` or \`day\`, \`quota_value\` is the limit |

The sections follow this picture, from the top:

![Four questions. No response, or a change with an unknown outcome: repeat with the same idempotency key. A time to wait: wait, then repeat. 401 or 403: use another key. 409, 410, 412 or 429: read again, and decide again. Otherwise: correct the request.](errors.svg)

[Troubleshooting](troubleshooting.md) helps to find the cause. \`npm run generate\` makes this page from \`src/contract/catalogue.ts\`.
`;

interface Section {
  readonly title: string;
  /** What a client should do after its errors. */
  readonly advice: string;
  readonly has: (reason: string, status: number) => boolean;
}

const oneOf =
  (...reasons: string[]) =>
  (reason: string) =>
    reasons.includes(reason);
const statuses =
  (...all: number[]) =>
  (_: string, status: number) =>
    all.includes(status);

/** The sections, by what is safe to do next. An error belongs to the first section that has it. */
const sections: readonly Section[] = [
  {
    title: "Repeat with the same idempotency key",
    advice: `If \`X-Change-Outcome\` is \`unknown\`, the change may have been made, or not. The same holds after \`INTERNAL\`, after a cancelled
call, and without a response. Repeat the change with the same [idempotency key](concurrency.md#repeat-a-request), which makes the
change at most once. [Holds](orders-and-holds.md#hold) and cancellations need no key.

- A read does not prove the outcome: a change that it shows can still be lost.
- With the outcome \`unchanged\`, or after \`STORE_UNAVAILABLE\` without an outcome, nothing was changed. Repeat the request.
- After \`DEADLINE_EXCEEDED\`, give the request more time. After a second \`INTERNAL\`, send the operator the \`X-Request-Id\`.
- No client sees \`CLIENT_LEFT\` and its status 499, which are in the log of the service.`,
    has: oneOf("STORE_UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "CLIENT_LEFT"),
  },
  {
    title: "Wait, then repeat",
    advice: `Nothing was changed. Wait as long as \`Retry-After\` or \`RetryInfo\` says, and repeat the same request. [A client that does not wait is
banned](limits.md#beyond-a-limit).

- Without a time to wait, \`RATE_LIMITED\` means that waiting does not help: send fewer items.
- After \`IDEMPOTENCY_KEY_IN_USE\`, repeat the request a second later.
- After \`SERVER_DRAINING\`, connect again at once. Resume a watch, and repeat an import with its idempotency keys.
- After \`ADDRESS_LIMITED\`, correct the key: a valid key works at once.`,
    has: oneOf(
      "RATE_LIMITED",
      "KEY_BANNED",
      "ADDRESS_LIMITED",
      "IDEMPOTENCY_KEY_IN_USE",
      "STORE_FULL",
      "SERVER_OVERLOADED",
      "SERVER_DRAINING",
      "WATCH_CAPACITY_REACHED",
    ),
  },
  {
    title: "Use another key",
    advice: `Send a valid key with the [scope](authentication.md#scopes) of the operation: [get a key](authentication.md#get-a-key). After
\`ADDRESS_NOT_ALLOWED\`, connect from an allowed address. After \`ACCOUNT_DISABLED\`, ask the operator.`,
    has: statuses(401, 403),
  },
  {
    title: "Read again, and decide again",
    advice: `Nothing was changed, because the stock or the account does not allow the request. The message says why. Read the current state,
and decide again. Then send a new request with a new idempotency key: the old key returns the same 409 or 412 for 24 hours.

- After 412 with \`If-Match\`, [the pet has changed](concurrency.md#set-only-if-nobody-else-changed-it), or the tag is weak (\`W/\`) and
  never matches. With \`If-None-Match\`, the pet still has that version, or the hold is active.
- After \`WATCH_TOO_SLOW\`, resume the watch, and read faster. After \`WATCH_EXPIRED\`, watch without a token.`,
    has: statuses(409, 410, 412, 429),
  },
  {
    title: "Correct the request",
    advice: `The same request fails again. The message names the field, or what to change.

- After 404, check the id or the path. The old idempotency key returns the same 404 for 24 hours, even if the pet exists by then.
- After 405, use a method that \`Allow\` lists. After 413, send fewer items, and after 431, smaller headers or a shorter URL.
- After 415, send \`application/json\`, or \`application/merge-patch+json\` to set a quantity. At an RPC path, send the media type of
  the protocol. Compress the body only with a coding that \`Accept-Encoding\` of the response lists.
- After 428, add what [strict accounts](concurrency.md#strict-accounts) need.`,
    has: () => true,
  },
];

const end = `
## On other protocols

Connect has one status for each code: \`failed_precondition\` is 400, \`aborted\` is 409, and \`resource_exhausted\` is 429. An
unknown method is 404, and a stream that fails has the status 200. gRPC and gRPC-Web have the code in \`grpc-status\`. Errors
without an RPC code are HTTP responses on every protocol.

## After the first message

Over HTTP, a stream that fails after its first message already has the status 200. Its last element, line or event is then the
error, without a reason. On RPC, the error has its reason.
`;

test("docs/caller/errors.md lists every error by what is safe to do next", async () => {
  const errors = Object.entries<ErrorKind>(catalogue).map(([reason, kind]) => {
    const { status, code: word } = httpTerms(kind);
    const name = kind.code === undefined ? "" : `\`${codeName("connect", kind.code)}\``;
    const code = `\`${word}\`` === name ? name : `${name}${name && ", "}HTTP \`${word}\``;
    return { reason, status, row: `| ${status} | \`${reason}\` | ${code} | ${kind.when} |\n` };
  });
  const bySection = Map.groupBy(errors, ({ reason, status }) =>
    sections.find(({ has }) => has(reason, status)),
  );
  const texts = sections.map((section) => {
    const all = (bySection.get(section) ?? []).sort((a, b) => a.status - b.status);
    return `
## ${section.title}

${section.advice}

| Status | Reason | Code | When |
| --- | --- | --- | --- |
${all.map(({ row }) => row).join("")}`;
  });
  await expect(intro + texts.join("") + end).toMatchFileSnapshot("../../docs/caller/errors.md");
});

test("docs/caller/troubleshooting.md has each reason under its status", () => {
  const page = readFileSync(
    join(import.meta.dirname, "../../docs/caller/troubleshooting.md"),
    "utf8",
  );
  const named = [...page.matchAll(/^## (\d+)$(.*?)(?=^## )/gms)].flatMap(
    ([, status = "", text = ""]) =>
      [...text.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = ""]) =>
        [...cell.matchAll(/`(\w+)`/g)].map(([, reason = ""]) => [reason, Number(status)]),
      ),
  );
  const statuses = new Map(
    Object.entries<ErrorKind>(catalogue).map(([reason, kind]) => [reason, httpTerms(kind).status]),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named).toEqual(named.map(([reason]) => [reason, statuses.get(`${reason}`)]));
});
