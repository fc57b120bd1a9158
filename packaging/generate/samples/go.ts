import { type DescEnum, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { bracketed, capitalized, indentLines, type Language, serviceWord } from "./language.ts";

/** Functions of `google.golang.org/protobuf/proto` that return a pointer to an optional value. */
const pointers = new Map([
  [ScalarType.INT32, "proto.Int32"],
  [ScalarType.INT64, "proto.Int64"],
  [ScalarType.BOOL, "proto.Bool"],
  [ScalarType.STRING, "proto.String"],
]);

/** The Go module `inventory.example/client`. */
export const go: Language = {
  imports: ['"context"', '"fmt"', '"log"', '"os"', 'inventory "inventory.example/client"'],
  usage: printed("response, err := client.Usage(ctx)"),
  watch: `for event, err := range client.Watch(ctx, inventory.WatchOptions{}) {
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(event.Message)
	// The stock is complete. Remove these lines to receive the changes, too.
	if event.Message.GetReady() != nil {
		break
	}
}`,
  call: (method, request) =>
    printed(`request := ${request}
response, err := client.${capitalized(serviceWord(method))}.${method.name}(ctx, request)`),
  writerWith(imports) {
    const typeName = (desc: DescMessage | DescEnum) => {
      const alias = desc.file.proto.package.replace(".", "");
      imports.add(
        `${alias} "inventory.example/client/gen/${desc.file.proto.package.replace(".", "/")}"`,
      );
      return `${alias}.${desc.name}`;
    };
    return {
      integer: String,
      boolean: String,
      enumValue: (desc, number) => `${typeName(desc)}_${desc.value[number]?.name}`,
      list(values, { message }) {
        if (!message) return bracketed(["[]string{", "}"], values, "\t");
        // In a list of messages, Go needs their type only once.
        const type = typeName(message);
        const elements = values.map((value) => value.replace(`&${type}`, ""));
        return bracketed([`[]*${type}{`, "}"], elements, "\t");
      },
      message(desc, fields) {
        const members = fields.map(({ field, value }) => {
          const name = field.name.split("_").map(capitalized).join("");
          if (!field.proto.proto3Optional) return `${name}: ${value}`;
          if (field.enum) return `${name}: ${value}.Enum()`;
          const pointer = field.scalar && pointers.get(field.scalar);
          if (!pointer) return `${name}: ${value}`;
          imports.add('"google.golang.org/protobuf/proto"');
          return `${name}: ${pointer}(${value})`;
        });
        return bracketed([`&${typeName(desc)}{`, "}"], members, "\t");
      },
    };
  },
  program({ imports, body }) {
    const standard = imports.filter((line) => /^"[a-z]+"$/.test(line)).sort();
    const others = imports.filter((line) => !standard.includes(line)).sort();
    return `package main

import (
${indentLines([...standard, "", ...others].join("\n"), "\t")}
)

func main() {
	ctx := context.Background()
	client := inventory.New(os.Getenv("INVENTORY_URL"), os.Getenv("INVENTORY_API_KEY"))
${indentLines(body, "\t")}
}
`;
  },
};

function printed(call: string): string {
  return `${call}
if err != nil {
	log.Fatal(err)
}
fmt.Println(response)`;
}
