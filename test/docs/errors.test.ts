import { expect, it } from "vitest";
import { codeName } from "../../src/call/rpc-names.ts";
import { catalogue } from "../../src/contract/catalogue.ts";
import { type ErrorKind, httpTerms } from "../../src/http/generic-errors.ts";

const intro = `# Errors

\`\`\`console
$ curl -si -H "Authorization: Bearer $INVENTORY_API_KEY" http://127.0.0.1:8080/v1/inventory/10001 | grep -iE '^(HTTP|x-error|[{])'
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

Over HTTP, \`code\` in the body is the RPC code, unless the table has another word after the status. Errors without an RPC
code occur only over HTTP. Connect has a status of its own for each RPC code. \`npm run docs\` makes this page from
\`src/contract/catalogue.ts\`.

## Reasons

| Reason | RPC code | HTTP | When |
| --- | --- | --- | --- |
`;

const end = `
Malformed HTTP is 400 \`MESSAGE_INVALID\`. A stream that fails after its first message already has the status 200. Its
last element or event is then the error, without a reason.
`;

it("docs/caller/errors.md lists every error", async () => {
  const rows = Object.entries(catalogue).map(([reason, kind]) => {
    const { code, when }: ErrorKind = kind;
    const name = code === undefined ? "" : `\`${codeName("connect", code)}\``;
    const { status, code: word } = httpTerms(kind);
    const http = `\`${word}\`` === name ? status : `${status} \`${word}\``;
    return `| \`${reason}\` | ${name} | ${http} | ${when} |\n`;
  });
  await expect(intro + rows.join("") + end).toMatchFileSnapshot("../../docs/caller/errors.md");
});
