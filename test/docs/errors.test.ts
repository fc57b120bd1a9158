import { readFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
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
| code | \`code\` in the body. If a row below has two codes, the one marked HTTP | the code of the call |
| invalid fields | \`message\` | \`google.rpc.BadRequest\`: at most 20 fields, then the number of further ones |
| time to wait | header \`Retry-After\`, in seconds | \`google.rpc.RetryInfo\` |
| whether the change of a failed request may have been made | header \`X-Change-Outcome\`: \`unchanged\` or \`unknown\` | \`changeOutcome\` in the metadata of ErrorInfo |
| the limit that is reached | header \`RateLimit\` | \`google.rpc.QuotaFailure\`: \`quota_id\` is \`minute\` or \`day\`, \`quota_value\` is the limit |

This page is sorted by the status of JSON over HTTP. The Connect protocol has one status for each code, so some reasons have
another status there: \`failed_precondition\` is 400, \`aborted\` is 409, and \`resource_exhausted\` is 429. Over Connect, an unknown
method is 404, and a stream that fails has the status 200. gRPC and gRPC-Web have the code in \`grpc-status\`. Errors without an
RPC code are HTTP responses on every protocol. [Troubleshooting](troubleshooting.md) helps to find the cause. \`npm run generate\` makes this page
from \`src/contract/catalogue.ts\`.
`;

/** What a client should do after an error with an HTTP status. */
const advice: Readonly<Record<number, string>> = {
  400: "Correct the request. Malformed HTTP is 400, too. A number that is too large for the type of its field is `MESSAGE_INVALID`.",
  401: "Send a valid API key. [Authentication](authentication.md) says how to get one.",
  403: "Use a key that may do this. After `ADDRESS_NOT_ALLOWED`, connect from an allowed address. After `ACCOUNT_DISABLED`, ask the operator.",
  404: "Check the id or the path. The same request fails until the thing exists. With the same idempotency key, the request fails even after that: use a new key.",
  405: "Use a method that `Allow` lists.",
  408: "Send the request faster, or on a better connection.",
  409: "The state of the stock or account does not allow the request. The message says why. Read the current state, decide again, and send a new request, with a new idempotency key. After `IDEMPOTENCY_KEY_IN_USE`, repeat the same request instead.",
  410: "Do not repeat the request. Watch without a token, or use another operation.",
  412: "With `If-Match`, the pet has changed since you read it: [read it again, then decide again](concurrency.md#set-only-if-nobody-else-changed-it). Or the tag is weak (`W/`), and never matches. With `If-None-Match`, the pet still has that version, or exists.",
  413: "Send fewer items at once. The Connect protocol has the status 429 for this, without a time to wait: a retry does not help.",
  415: "Send `application/json`, or `application/merge-patch+json` to set a quantity. At an RPC path, send the media type of the RPC protocol. Compress the body only with a coding that `Accept-Encoding` of the response lists.",
  417: "Send `Expect: 100-continue`, or no `Expect`.",
  422: "Use a new idempotency key for a new request.",
  428: "Add the condition or the idempotency key that [strict accounts](concurrency.md#strict-accounts) need.",
  429: "If the response has `Retry-After` or `RetryInfo`, wait for that time, and then repeat the request. Otherwise waiting does not help. [A client that does not wait is banned](limits.md#beyond-a-limit).",
  431: "Send smaller headers, or a shorter URL.",
  499: "No client sees this status. It is in the log of the service.",
  500: "Report this to the operator, with the `X-Request-Id`. A change may or may not have been made.",
  501: "Use another method or compression, or close a health watch first.",
  503: "Repeat the request after `Retry-After`. After `SERVER_DRAINING`, connect again at once. With the outcome `unknown`, repeat a change only with the same [idempotency key](concurrency.md#repeat-a-request): reading does not tell, because a change that was read can still be lost. Without an outcome, nothing was changed.",
  504: "Give the request more time. With the outcome `unknown`, repeat a change only with the same idempotency key.",
};

const end = `
## After the first message

Over HTTP, a stream that fails after its first message already has the status 200. Its last element, line or event is then the
error, without a reason. On RPC, the error has its reason.
`;

test("docs/caller/errors.md lists every error by status, and says what to do", async () => {
  const byStatus = Object.groupBy(
    Object.entries<ErrorKind>(catalogue),
    ([, kind]) => httpTerms(kind).status,
  );
  expect(Object.keys(byStatus)).toEqual(Object.keys(advice));
  const sections = Object.entries(byStatus).map(([status, kinds = []]) => {
    const rows = kinds.map(([reason, kind]) => {
      const { code: word } = httpTerms(kind);
      const name = kind.code === undefined ? "" : `\`${codeName("connect", kind.code)}\``;
      const code = `\`${word}\`` === name ? name : `${name}${name && ", "}HTTP \`${word}\``;
      return `| \`${reason}\` | ${code} | ${kind.when} |\n`;
    });
    const title = status === "499" ? "Client Closed Request" : STATUS_CODES[status];
    return `
## ${status} ${title}

${advice[Number(status)]}

| Reason | Code | When |
| --- | --- | --- |
${rows.join("")}`;
  });
  await expect(intro + sections.join("") + end).toMatchFileSnapshot("../../docs/caller/errors.md");
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
