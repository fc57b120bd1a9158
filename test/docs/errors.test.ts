import { Code, ConnectError } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { catalogue } from "../../src/errors.ts";
import { httpErrorFrom } from "../../src/rest/http-error.ts";

const intro = `# Errors

Over HTTP every error has the body \`{"code","message","status"}\`. On RPC every error carries a
\`google.rpc.ErrorInfo\` with the domain \`inventory\` and one of the reasons below; errors of fields also
carry \`google.rpc.BadRequest\` with at most 20 violations, and those that pass by themselves
\`google.rpc.RetryInfo\`. Reasons and
codes are for programs and do not change; messages are for people and may.

This page is made from \`src/errors.ts\` by \`npm run docs\`, and a test holds it to that.

| Reason | Code | HTTP | When |
| --- | --- | --- | --- |
`;

const httpOnly = `
Some HTTP statuses have no RPC code, and a word of their own as \`code\`:

| Code | HTTP | When |
| --- | --- | --- |
| \`method_not_allowed\` | 405 | The path exists, the method does not; \`Allow\` lists those that do. |
| \`gone\` | 410 | The operation is past its sunset. |
| \`payload_too_large\` | 413 | The body is larger than \`MAX_BODY_BYTES\`, or \`MAX_BATCH_BODY_BYTES\` for a batch. |
| \`unsupported_media_type\` | 415 | The body's media type or coding is not understood. |
| \`expectation_failed\` | 417 | \`Expect\` asks for something else than \`100-continue\`. |
| \`header_fields_too_large\` | 431 | The header section is larger than \`MAX_HEADER_BYTES\`. |

A request that takes too long to arrive is answered 408 with the code \`deadline_exceeded\`; one whose own
deadline passes, 504 with the same code. Malformed HTTP is 400 \`invalid_argument\`.
`;

it("the error reference says what the catalogue is", async () => {
  const rows = Object.entries(catalogue).map(([reason, [code, when, own]]) => {
    const { status, code: word } = httpErrorFrom(new ConnectError("", code), () => own);
    expect(Code[code]).toBeDefined();
    return `| \`${reason}\` | \`${word}\` | ${status} | ${when} |\n`;
  });
  await expect(intro + rows.join("") + httpOnly).toMatchFileSnapshot("../../docs/errors.md");
});
