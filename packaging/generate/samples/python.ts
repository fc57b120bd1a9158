import type { DescEnum, DescMessage } from "@bufbuild/protobuf";
import { bracketed, indentLines, type Language, serviceWord, snakeCase } from "./language.ts";

/** The Python package `inventory-service-client`. */
export const python: Language = {
  imports: ["from inventory_client import Client"],
  usage: "print(client.usage())",
  watch: `with client.watch() as events:
    for event in events:
        print(event.message)
        # The stock is complete. Remove these lines to receive the changes, too.
        if event.message.HasField("ready"):
            break`,
  call: (method, request) => `request = ${request}
print(client.${serviceWord(method)}.${snakeCase(method.name)}(request))`,
  writerWith(imports) {
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
  },
  program: ({ imports, body }) => `import os

${imports.toSorted().join("\n")}

with Client(os.environ["INVENTORY_URL"], os.environ["INVENTORY_API_KEY"]) as client:
${indentLines(body, "    ")}
`,
};
