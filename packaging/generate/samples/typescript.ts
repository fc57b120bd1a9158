import { integerRanges } from "connect-gateway/rest";
import { bracketed, type Language, serviceWord, versionlessPackage } from "./language.ts";

/** The npm package `@inventory-service/client`. */
export const typescript: Language = {
  imports: ['import { createInventoryClient } from "@inventory-service/client";'],
  usage: "const response = await client.usage();\nconsole.log(response);",
  watch: `for await (const event of client.watch()) {
  console.log(event.case, event.value);
  // The stock is complete. Remove this line to receive the changes, too.
  if (event.case === "ready") break;
}`,
  call(method, request) {
    const call = `client.${serviceWord(method)}.${method.localName}(${request})`;
    return `const response = await ${call};\nconsole.log(response);`;
  },
  writerWith: (imports) => ({
    integer: (value, { scalar }) =>
      scalar && integerRanges.get(scalar)?.wide ? `${value}n` : `${value}`,
    boolean: String,
    enumValue(desc, number) {
      const path = `@inventory-service/client/${versionlessPackage(desc)}`;
      imports.add(`import { ${desc.name} } from "${path}";`);
      return `${desc.name}.${desc.value[number]?.localName}`;
    },
    list: (values) => bracketed(["[", "]"], values, "  "),
    message(_, fields) {
      const members = fields.map(({ field, value }) => `${field.localName}: ${value}`);
      return bracketed(["{", "}"], members, "  ", " ");
    },
  }),
  program: ({ imports, body }) => `${imports.join("\n")}

const client = createInventoryClient({
  baseUrl: process.env.INVENTORY_URL ?? "",
  apiKey: process.env.INVENTORY_API_KEY ?? "",
});

${body}
`,
};
