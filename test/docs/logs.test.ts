import { expect, test } from "vitest";
import { fields, ownFields } from "../../src/observability/log/fields.ts";
import { lineKinds } from "../../src/observability/log/lines.ts";
import { examples } from "./log-examples.ts";

const intro = `# Logs

\`\`\`console
$ PORT=8090 ACCESS_LOG=all npm start | grep --line-buffered '^{' > /tmp/inventory.log &
$ until curl -sf -o /tmp/readiness http://127.0.0.1:8090/readyz; do sleep 0.1; done
$ curl -s -o /tmp/refusal http://127.0.0.1:8090/v1/inventory
$ until jq -c 'select(.code == 401) | {msg, level, route, code, reason}' /tmp/inventory.log | grep .; do sleep 0.1; done
{"msg":"request","level":30,"route":"/v1/inventory","code":401,"reason":"KEY_MISSING"}
$ kill %1
\`\`\`

The service writes JSON lines to standard output, and text if that is a terminal. The \`msg\` of a line names its
[kind](#kinds-of-lines). \`npm start\`, and a service without \`REDIS_URL\`, first write human-readable text, which
\`grep '^{'\` leaves out.

## Find lines

\`\`\`sh
jq -c 'select(.msg == "slow request") | {ms, storeMs, route, requestId}' /tmp/inventory.log
jq -c 'select(.level >= 40)' /tmp/inventory.log
jq -c 'select(.requestId == "till-3:0042")' /tmp/inventory.log
jq -r 'select(.msg == "request") | [.code, .reason // "", .route] | @tsv' /tmp/inventory.log | sort | uniq -c | sort -rn | head
jq -c 'select(.msg == "audit entry") | {sequence, entry}' /tmp/inventory.log
jq -s 'map(select(.msg == "requests were refused with 429").reasons | to_entries[]) | group_by(.key) | map({(.[0].key): map(.value) | add}) | add' /tmp/inventory.log
\`\`\`

The last command adds up the summaries of refused requests.

## Access log

\`ACCESS_LOG\` selects the requests that get a line of their own. It does not depend on \`LOG_LEVEL\`.

| \`ACCESS_LOG\` | Lines | Use |
| --- | --- | --- |
| \`off\` (default) | none | The log always has failures, slow requests, bans and summaries of refusals. Metrics count all requests. |
| \`errors\` | requests that end with an error, also those that a client caused | to find out what a client does wrong |
| \`sampled\` | a random share of all requests, \`ACCESS_LOG_SAMPLE\` | to see typical traffic at low cost |
| \`all\` | every request, for 3 to 6 µs of CPU time each | for debugging |

A line has the route template instead of the path and the query. It has no keys, bodies or headers, except \`X-Request-Id\`.
The \`code\` is that of the protocol, such as \`NOT_FOUND\` for a gRPC call. A stream has its line when it ends.

## Limits

Each process writes at most 5 lines a second of each kind, and \`ACCESS_LOG_LINES_PER_SECOND\` of the access log. For lines
about failed and slow requests, the limit is 5 for each client and 10 for all clients. One client gets at most
half of the access log. The next line of the kind has the number of dropped lines in \`suppressed\`. Lines of the
[audit trail](audit.md#the-log-is-the-evidence) have no limit.

If nothing reads standard output, the process holds 4 MiB of lines, and drops and counts further lines. A process that is
killed with SIGKILL loses the lines of the last 100 ms.

## Several processes

With \`WORKERS\`, each line has the number of its \`worker\`, except those of the parent. Each worker has its own limits and summaries.

## Levels

\`LOG_LEVEL\` is the least severe level that is written. In \`CONFIG_FILE\`, it can change [while the service runs](configuration.md#reload-with-sighup).

| \`level\` | Name | Lines |
| --- | --- | --- |
| 20 | debug | settings of Redis that cannot be read |
| 30 | info | life of the process, ends of bans, summaries |
| 40 | warn | something needs attention soon, or a client misbehaves |
| 50 | error | a request failed because of a bug, or an action of the operator failed |
| 60 | fatal | the process ends |

`;

const kinds = Object.values(lineKinds)
  .map(({ message, level, when, fields }) => {
    const names = fields.map((field) => `\`${field}\``).join(", ");
    return `| \`${message}\` | ${level} | ${when} | ${names || "none"} |\n`;
  })
  .join("");

const rows = Object.entries({ ...ownFields, ...fields })
  .map(([name, { meaning }]) => `| \`${name}\` | ${meaning} |\n`)
  .join("");

const lines = Object.entries(examples)
  .map(([title, line]) => `${title}:\n\n\`\`\`json\n${line}\n\`\`\`\n`)
  .join("\n");

test("docs/operator/logs.md lists every kind of line and every field", async () => {
  const page = `${intro}## Examples

${lines}
## Kinds of lines

| \`msg\` | Level | When | Fields, if known |
| --- | --- | --- | --- |
${kinds}
At start, the service checks the settings of [Redis](redis.md). For each problem, it writes a line at level warn with the problem as \`msg\`.

## Fields

| Field | Meaning |
| --- | --- |
${rows}`;
  await expect(page).toMatchFileSnapshot("../../docs/operator/logs.md");
});

test("every field belongs to a kind of line", () => {
  const used = new Set<string>(Object.values(lineKinds).flatMap(({ fields }) => [...fields]));
  const unused = Object.keys(fields).filter((field) => !used.has(field));
  expect(unused).toEqual(["suppressed"]);
});

test("every example is a line of a kind, with fields of that kind", () => {
  for (const line of Object.values(examples).flatMap((text) => text.split("\n"))) {
    const { msg, ...values } = JSON.parse(line) as Record<string, unknown>;
    const kind = Object.values(lineKinds).find(({ message }) => message === msg);
    const known = [...(kind?.fields ?? []), "suppressed", ...Object.keys(ownFields), "worker"];
    expect(kind, line).toBeDefined();
    expect(known).toEqual(expect.arrayContaining(Object.keys(values)));
  }
});
