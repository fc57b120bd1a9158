import type { DescEnum, DescMessage, DescMethod } from "@bufbuild/protobuf";
import { indentLines } from "./bracketed.ts";
import { sampleRequest } from "./requests.ts";
import type { Sample } from "./sample.ts";
import { capitalized, isUsage, serviceWord } from "./service-word.ts";
import { type Writer, writeMessage } from "./value.ts";

/** Writes a call with the Maven artifact `example.inventory:inventory-client`. */
export function javaSample(method: DescMethod): Sample {
  const imports = new Set(["import example.inventory.client.InventoryClient;"]);
  if (method.methodKind === "server_streaming") return { imports: [...imports], body: watch };
  if (isUsage(method)) {
    return { imports: [...imports], body: "System.out.println(client.usage());" };
  }
  const request = writeMessage(method.input, sampleRequest(method), writerWith(imports));
  return {
    imports: [...imports],
    body: `var request = ${request};
System.out.println(client.${serviceWord(method)}().${method.localName}(request));`,
  };
}

const watch = `try (var watch = client.watch()) {
  for (var event : watch) {
    System.out.println(event.message());
    // The stock is complete. Remove this line to receive the changes, too.
    if (event.message().hasReady()) break;
  }
}`;

/** Writes a sample as a program. */
export function javaProgram({ imports, body }: Sample): string {
  return `${[...imports].sort().join("\n")}

public class Sample {
  public static void main(String[] args) throws Exception {
    var url = System.getenv("INVENTORY_URL");
    try (var client = InventoryClient.create(url, System.getenv("INVENTORY_KEY"))) {
${indentLines(body, "      ")}
    }
  }
}
`;
}

function writerWith(imports: Set<string>): Writer {
  const typeName = (desc: DescMessage | DescEnum) => {
    imports.add(`import example.${desc.typeName};`);
    return desc.name;
  };
  return {
    integer: (value) => (value === BigInt.asIntN(32, value) ? `${value}` : `${value}L`),
    boolean: String,
    enumValue: (desc, number) => `${typeName(desc)}.${desc.value[number]?.name}`,
    list: (values) => values.join(", "), // Not used: a builder adds the elements one by one.
    message(desc, fields) {
      const setters = fields.flatMap(({ field, value, elements }) => {
        const name = capitalized(field.localName);
        return elements
          ? elements.map((element) => `.add${name}(${element})`)
          : [`.set${name}(${value})`];
      });
      const calls = [".newBuilder()", ...setters, ".build()"];
      const line = calls.join("");
      const fits = line.length <= 60 && !line.includes("\n");
      return (
        typeName(desc) +
        (fits ? line : calls.map((call) => `\n${indentLines(call, "    ")}`).join(""))
      );
    },
  };
}
