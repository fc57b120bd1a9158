import type { DescEnum, DescMethod } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { bracketed } from "./bracketed.ts";
import { sampleRequest } from "./requests.ts";
import type { Sample } from "./sample.ts";
import { isUsage, serviceWord, versionlessPackage } from "./service-word.ts";
import { type Writer, writeMessage } from "./value.ts";

/** Writes a call with the npm package `@inventory-service/client`. */
export function typescriptSample(method: DescMethod): Sample {
  if (isUsage(method)) {
    return {
      imports: [clientImport],
      body: "const response = await client.usage();\nconsole.log(response);",
    };
  }
  const used = new Set<DescEnum>();
  const request = writeMessage(method.input, sampleRequest(method), writerWith(used));
  const call = `client.${serviceWord(method)}.${method.localName}(${request})`;
  const body =
    method.methodKind === "server_streaming"
      ? watch
      : `const response = await ${call};
console.log(response);`;
  return {
    imports: [
      clientImport,
      ...[...used].map(
        (desc) =>
          `import { ${desc.name} } from "@inventory-service/client/${versionlessPackage(desc)}";`,
      ),
    ],
    body,
  };
}

const clientImport = 'import { createInventoryClient } from "@inventory-service/client";';

const watch = `for await (const event of client.watch()) {
  console.log(event.case, event.value);
  // The stock is complete. Remove this line to receive the changes, too.
  if (event.case === "ready") break;
}`;

/** Writes a sample as a program. */
export function typescriptProgram({ imports, body }: Sample): string {
  return `${imports.join("\n")}

const client = createInventoryClient({
  baseUrl: process.env.INVENTORY_URL ?? "",
  apiKey: process.env.INVENTORY_KEY ?? "",
});

${body}
`;
}

const longs = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);

function writerWith(used: Set<DescEnum>): Writer {
  return {
    integer: (value, { scalar }) => (scalar && longs.has(scalar) ? `${value}n` : `${value}`),
    boolean: String,
    enumValue(desc, number) {
      used.add(desc);
      return `${desc.name}.${desc.value[number]?.localName}`;
    },
    list: (values) => bracketed(["[", "]"], values, "  "),
    message(_, fields) {
      const members = fields.map(({ field, value }) => `${field.localName}: ${value}`);
      return bracketed(["{", "}"], members, "  ", " ");
    },
  };
}
