import { Code, ConnectError } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { catalogue } from "../../src/contract/errors.ts";
import { httpErrorFrom } from "../../src/http/error-response.ts";
import { httpErrors } from "../../src/http/http-errors.ts";

const intro = `# Errors

\`\`\`console
$ curl -si -H "Authorization: Bearer $KEY" http://127.0.0.1:8080/v1/inventory/10001 | grep -iE '^(HTTP|x-error|[{])'
HTTP/1.1 404 Not Found
x-error-reason: PET_NOT_FOUND
{"code":"not_found","message":"Pet 10001 is not in the inventory.","status":404}
\`\`\`

Programs should use the reason, which never changes. Messages are for humans and can change.

Over HTTP, the reason is in the header \`X-Error-Reason\`. Over RPC, it is in a \`google.rpc.ErrorInfo\` with the domain
\`inventory\`. RPC errors can have more details:

| Detail | When |
| --- | --- |
| \`google.rpc.BadRequest\` | Fields are invalid. It names at most 20 of them. |
| \`google.rpc.RetryInfo\` | The client should retry after a delay. |
| \`google.rpc.QuotaFailure\` | A rate limit is reached. \`quota_id\` is \`minute\` or \`day\`, \`quota_value\` is the limit. |

\`npm run docs\` makes this page from \`src/contract/errors.ts\` and \`src/http/http-errors.ts\`.

## All protocols

| Reason | Code | HTTP | When |
| --- | --- | --- | --- |
`;

const httpOnly = `
## HTTP only

If no RPC code matches the status, \`code\` is another word:

| Reason | Code | HTTP | When |
| --- | --- | --- | --- |
`;

const end = `
Malformed HTTP is 400 \`MESSAGE_INVALID\`. A stream that fails after its first message already has the status 200. Its
last element or event is then the error, without a reason.
`;

it("docs/caller/errors.md lists every error", async () => {
  const rows = Object.entries(catalogue).map(([reason, [code, when, own]]) => {
    const { status, code: word } = httpErrorFrom(new ConnectError("", code), {
      statusOf: () => own,
    });
    expect(Code[code]).toBeDefined();
    return `| \`${reason}\` | \`${word}\` | ${status} | ${when} |\n`;
  });
  const ofHttp = Object.entries(httpErrors).map(
    ([reason, [status, code, when]]) => `| \`${reason}\` | \`${code}\` | ${status} | ${when} |\n`,
  );
  await expect(intro + rows.join("") + httpOnly + ofHttp.join("") + end).toMatchFileSnapshot(
    "../../docs/caller/errors.md",
  );
});
