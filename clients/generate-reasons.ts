/** Writes the error reasons of `src/contract/catalogue.ts` into the clients of the named languages. `clients/generate.sh` runs this. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { catalogue, rpcReasons } from "../src/contract/catalogue.ts";

const note =
  "Generated from src/contract/catalogue.ts by clients/generate-reasons.ts. Do not edit.";

const reasons = rpcReasons.map((reason) => ({
  reason,
  meaning: catalogue[reason].when.replaceAll("`", ""),
}));

/** Converts a reason such as `PET_NOT_FOUND` to `PetNotFound`. */
function pascalCase(reason: string): string {
  return reason
    .toLowerCase()
    .replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const files = {
  "typescript/src/reason.ts": [
    `// ${note}`,
    "",
    "/** Why the service refused a call. */",
    "export type Reason =",
    `${reasons.map(({ reason, meaning }) => `  /** ${meaning} */\n  | "${reason}"`).join("\n")};`,
  ],
  "go/reasons.go": [
    `// Code generated from src/contract/catalogue.ts by clients/generate-reasons.ts. DO NOT EDIT.`,
    "",
    "package inventory",
    "",
    "// Reasons why the service refuses calls.",
    "const (",
    ...reasons.map(
      ({ reason, meaning }) => `\t// ${meaning}\n\t${pascalCase(reason)} Reason = "${reason}"`,
    ),
    ")",
  ],
  "python/src/inventory_client/reasons.py": [
    '"""Why the service refuses calls."""',
    "",
    `# ${note}`,
    "",
    "from enum import StrEnum",
    "",
    "",
    "class Reason(StrEnum):",
    '    """Why the service refused a call."""',
    ...reasons.map(({ reason, meaning }) => `\n    ${reason} = "${reason}"\n    """${meaning}"""`),
  ],
  "java/target/generated-sources/protobuf/example/inventory/client/Reason.java": [
    `// ${note}`,
    "package example.inventory.client;",
    "",
    "/** Why the service refused a call. */",
    "public enum Reason {",
    ...reasons.map(({ reason, meaning }) => `  /** ${meaning} */\n  ${reason},\n`),
    "  /** A reason of a newer service. {@link InventoryException#reasonName} returns it. */",
    "  UNRECOGNIZED",
    "}",
  ],
};

for (const [path, lines] of Object.entries(files)) {
  if (!process.argv.slice(2).some((language) => path.startsWith(`${language}/`))) continue;
  const file = join(import.meta.dirname, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join("\n")}\n`);
}
