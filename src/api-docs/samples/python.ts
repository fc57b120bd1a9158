import type { DescEnum, DescMessage, DescMethod } from "@bufbuild/protobuf";
import { bracketed, indentLines } from "./bracketed.ts";
import { sampleRequest } from "./requests.ts";
import type { Sample } from "./sample.ts";
import { isUsage, serviceWord, snakeCase } from "./service-word.ts";
import { type Writer, writeMessage } from "./value.ts";

/** Writes a call with the Python package `inventory-service-client`. */
export function pythonSample(method: DescMethod): Sample {
  const imports = new Set(["from inventory_client import Client"]);
  if (method.methodKind === "server_streaming") return { imports: [...imports], body: watch };
  if (isUsage(method)) return { imports: [...imports], body: "print(client.usage())" };
  const request = writeMessage(method.input, sampleRequest(method), writerWith(imports));
  return {
    imports: [...imports],
    body: `request = ${request}
print(client.${serviceWord(method)}.${snakeCase(method.name)}(request))`,
  };
}

const watch = `with client.watch() as events:
    for event in events:
        print(event.message)
        # The stock is complete. Remove these lines to receive the changes, too.
        if event.message.HasField("ready"):
            break`;

/** Writes a sample as a program. */
export function pythonProgram({ imports, body }: Sample): string {
  return `import os

${[...imports].sort().join("\n")}

with Client(os.environ["INVENTORY_URL"], os.environ["INVENTORY_KEY"]) as client:
${indentLines(body, "    ")}
`;
}

function writerWith(imports: Set<string>): Writer {
  const typeName = (desc: DescMessage | DescEnum) => {
    const file = desc.file.name.replaceAll("/", ".");
    imports.add(`from inventory_client.gen.${file}_pb2 import ${desc.name}`);
    return desc.name;
  };
  return {
    integer: String,
    boolean: (value) => (value ? "True" : "False"),
    enumValue: (desc, number) => `${typeName(desc)}.${desc.value[number]?.name}`,
    list: (values) => bracketed(["[", "]"], values, "    "),
    message(desc, fields) {
      const members = fields.map(({ field, value }) => `${field.name}=${value}`);
      return bracketed([`${typeName(desc)}(`, ")"], members, "    ");
    },
  };
}
