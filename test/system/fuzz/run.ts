import { caseOf } from "./case.ts";
import { createBugLog, createCaseRunner } from "./case-runner.ts";
import { createCorpus } from "./corpus.ts";
import { type Finding, print } from "./findings.ts";
import { type Options, readOptions } from "./options.ts";
import { search } from "./search.ts";
import { startSubject } from "./subject.ts";

/** Starts a server and fuzzes it. @returns the findings */
async function fuzz({ minutes, seed, replay }: Options): Promise<readonly Finding[]> {
  const log = createBugLog();
  const subject = await startSubject(log.add);
  const corpus = createCorpus(subject.keys);
  const runner = createCaseRunner(subject, log, corpus, seed);
  const findings: Finding[] = [];

  async function replayAll({ first, last }: NonNullable<Options["replay"]>): Promise<void> {
    for (let number = first; number < last; number++) {
      await runner.runAlone(caseOf(corpus, seed, number));
    }
    const each = caseOf(corpus, seed, last);
    const faults = await runner.runAlone(each);
    process.stdout.write(
      `${each.name}: ${each.mutations} mutations, ${each.bytes.length} bytes, lengths of the first chunks: ${each.cuts.join(", ") || "one chunk"}\nsent:     ${shown(each.bytes)}\nreceived: ${shown(runner.received)}\n`,
    );
    for (const fault of faults) {
      findings.push({ ...fault, name: each.name, seed, number: last });
    }
  }

  try {
    if (replay) await replayAll(replay);
    else {
      await search(subject, runner, corpus, { minutes, seed }, (finding) => {
        findings.push(finding);
      });
    }
  } finally {
    runner.stop();
    await subject.close();
  }
  return findings;
}

/** The first 2,000 bytes as quoted text. */
function shown(bytes: Buffer): string {
  return JSON.stringify(bytes.toString("latin1", 0, 2_000));
}

try {
  const options = readOptions(process.argv.slice(2));
  const findings = await fuzz(options);
  process.stdout.write(`\n${findings.length} findings (seed ${options.seed})\n`);
  for (const finding of findings.toSorted((a, b) => a.kind.localeCompare(b.kind))) print(finding);
  process.exit(findings.length === 0 ? 0 : 1);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(2);
}
