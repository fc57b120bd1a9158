import { Code, ConnectError } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { catalogue } from "../../src/errors.ts";
import { httpErrorFrom } from "../../src/rest/http-error.ts";

const intro = `# Errors

Over HTTP every error has the body \`{"code","message","status"}\`, and one of the reasons below in the header
\`X-Error-Reason\`. On RPC every error carries a \`google.rpc.ErrorInfo\` with the domain \`inventory\` and the
same reason; errors of fields also carry \`google.rpc.BadRequest\` with at most 20 violations, and errors
after which the client should retry carry \`google.rpc.RetryInfo\`. If a rate limit is reached, \`google.rpc.QuotaFailure\` names the windows that are full
(\`quota_id\` is \`minute\` or \`day\`, \`quota_value\` the limit). Reasons and
codes are for programs and do not change; messages are for people and may.

This page is made from \`src/errors.ts\` by \`npm run docs\`, and a test holds it to that.

| Reason | Code | HTTP | When |
| --- | --- | --- | --- |
`;

const httpOnly = `
These errors occur over HTTP only. Where the status has no RPC code, \`code\` is a word of its own:

| Reason | Code | HTTP | When |
| --- | --- | --- | --- |
| \`PATH_NOT_FOUND\` | \`not_found\` | 404 | The path does not exist. |
| \`METHOD_NOT_ALLOWED\` | \`method_not_allowed\` | 405 | The path exists, the method does not; \`Allow\` lists those that do. |
| \`REQUEST_TIMEOUT\` | \`deadline_exceeded\` | 408 | The request takes too long to arrive. |
| \`OPERATION_ENDED\` | \`gone\` | 410 | The operation is past its sunset. |
| \`MESSAGE_TOO_LARGE\` | \`payload_too_large\` | 413 | The body is larger than \`MAX_BODY_BYTES\`, or \`MAX_BATCH_BODY_BYTES\` for a batch. |
| \`UNSUPPORTED_MEDIA_TYPE\` | \`unsupported_media_type\` | 415 | The body's media type or coding is not understood. |
| \`EXPECTATION_FAILED\` | \`expectation_failed\` | 417 | \`Expect\` asks for something else than \`100-continue\`. |
| \`HEADER_FIELDS_TOO_LARGE\` | \`header_fields_too_large\` | 431 | The header section is larger than \`MAX_HEADER_BYTES\`. |

Malformed HTTP is 400 \`MESSAGE_INVALID\`. A stream that fails after its first message has begun with 200: its
last element or event is the error, without a reason.
`;

it("the error reference says what the catalogue is", async () => {
  const rows = Object.entries(catalogue).map(([reason, [code, when, own]]) => {
    const { status, code: word } = httpErrorFrom(new ConnectError("", code), {
      statusOf: () => own,
    });
    expect(Code[code]).toBeDefined();
    return `| \`${reason}\` | \`${word}\` | ${status} | ${when} |\n`;
  });
  await expect(intro + rows.join("") + httpOnly).toMatchFileSnapshot("../../docs/errors.md");
});
