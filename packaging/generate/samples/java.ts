import type { DescEnum, DescMessage } from "@bufbuild/protobuf";
import { capitalized, indentLines, type Language, serviceWord } from "./language.ts";

/** The Maven artifact `example.inventory:inventory-client`. */
export const java: Language = {
  imports: ["import example.inventory.client.InventoryClient;"],
  usage: "System.out.println(client.usage());",
  watch: `try (var watch = client.watch()) {
  for (var event : watch) {
    System.out.println(event.message());
    // The stock is complete. Remove this line to receive the changes, too.
    if (event.message().hasReady()) break;
  }
}`,
  call: (method, request) => `var request = ${request};
System.out.println(client.${serviceWord(method)}().${method.localName}(request));`,
  writerWith(imports) {
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
        const lines = calls.map((call) => `\n${indentLines(call, "    ")}`).join("");
        return typeName(desc) + (fits ? line : lines);
      },
    };
  },
  program: ({ imports, body }) => `${imports.toSorted().join("\n")}

public class Sample {
  public static void main(String[] args) throws Exception {
    var url = System.getenv("INVENTORY_URL");
    try (var client = InventoryClient.create(url, System.getenv("INVENTORY_API_KEY"))) {
${indentLines(body, "      ")}
    }
  }
}
`,
};
