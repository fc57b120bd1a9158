import type { DescEnum, DescMessage, DescMethod } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { bracketed, indentLines } from "./bracketed.ts";
import { sampleRequest } from "./requests.ts";
import type { Sample } from "./sample.ts";
import { capitalized, isUsage, serviceWord } from "./service-word.ts";
import { type Writer, type WrittenField, writeMessage } from "./value.ts";

/** Writes a call with the Go module `inventory.example/client`. */
export function goSample(method: DescMethod): Sample {
  const imports = new Set(['inventory "inventory.example/client"']);
  if (method.methodKind === "server_streaming") {
    return { imports: ['"fmt"', '"log"', ...imports], body: watch };
  }
  const call = isUsage(method) ? "response, err := client.Usage(ctx)" : callOf(method, imports);
  return {
    imports: ['"fmt"', '"log"', ...imports],
    body: `${call}
if err != nil {
	log.Fatal(err)
}
fmt.Println(response)`,
  };
}

function callOf(method: DescMethod, imports: Set<string>): string {
  const request = writeMessage(method.input, sampleRequest(method), writerWith(imports));
  return `request := ${request}
response, err := client.${capitalized(serviceWord(method))}.${method.name}(ctx, request)`;
}

const watch = `for event, err := range client.Watch(ctx, inventory.WatchOptions{}) {
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(event.Message)
	// The stock is complete. Remove these lines to receive the changes, too.
	if event.Message.GetReady() != nil {
		break
	}
}`;

/** Writes a sample as a program. */
export function goProgram({ imports, body }: Sample): string {
  const all = ['"context"', '"os"', ...imports];
  const standard = all.filter((line) => /^"[a-z]+"$/.test(line)).sort();
  const others = all.filter((line) => !standard.includes(line)).sort();
  return `package main

import (
${indentLines([...standard, "", ...others].join("\n"), "\t")}
)

func main() {
	ctx := context.Background()
	client := inventory.New(os.Getenv("INVENTORY_URL"), os.Getenv("INVENTORY_KEY"))
${indentLines(body, "\t")}
}
`;
}

/** Functions of `google.golang.org/protobuf/proto` that return a pointer to an optional value. */
const pointers = new Map([
  [ScalarType.INT32, "proto.Int32"],
  [ScalarType.INT64, "proto.Int64"],
  [ScalarType.BOOL, "proto.Bool"],
  [ScalarType.STRING, "proto.String"],
]);

function writerWith(imports: Set<string>): Writer {
  const typeName = (desc: DescMessage | DescEnum) => {
    const alias = desc.file.proto.package.replace(".", "");
    imports.add(
      `${alias} "inventory.example/client/gen/${desc.file.proto.package.replace(".", "/")}"`,
    );
    return `${alias}.${desc.name}`;
  };
  const fieldValue = ({ field, value }: WrittenField) => {
    if (!field.proto.proto3Optional) return value;
    if (field.enum) return `${value}.Enum()`;
    const pointer = field.scalar && pointers.get(field.scalar);
    if (!pointer) return value;
    imports.add('"google.golang.org/protobuf/proto"');
    return `${pointer}(${value})`;
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
      const members = fields.map(
        (written) => `${goName(written.field.name)}: ${fieldValue(written)}`,
      );
      return bracketed([`&${typeName(desc)}{`, "}"], members, "\t");
    },
  };
}

function goName(name: string): string {
  return name.split("_").map(capitalized).join("");
}
