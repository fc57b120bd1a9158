import { type AnyDesc, type DescFile, type DescMessage, toBinary } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** An index of proto files and their imports. */
export type Files = ReturnType<typeof indexFiles>;

/** Indexes files and everything that they import. */
export function indexFiles(files: readonly DescFile[]) {
  const byName = new Map<string, DescFile>();
  const bySymbol = new Map<string, DescFile>();
  const extensions = new Map<string, Map<number, DescFile>>();
  const bytes = new Map<DescFile, Uint8Array>();

  for (const file of withImports(files)) {
    byName.set(file.proto.name, file);
    for (const desc of nestedTypes(file)) {
      for (const symbol of symbolsOf(desc)) bySymbol.set(symbol, file);
      if (desc.kind === "message") numbersOf(desc);
      if (desc.kind === "extension") numbersOf(desc.extendee).set(desc.number, file);
    }
  }

  function numbersOf({ typeName }: DescMessage): Map<number, DescFile> {
    const numbers = extensions.get(typeName) ?? new Map<number, DescFile>();
    extensions.set(typeName, numbers);
    return numbers;
  }

  return {
    /** Returns the file with this name, such as `google/api/http.proto`. */
    named: (name: string) => byName.get(name),
    /** Returns the file that declares this full name. */
    declaring: (symbol: string) => bySymbol.get(symbol),
    /** Returns the files that declare a message's extensions, by field number; undefined for an unknown message. */
    extensionsOf: (typeName: string) => extensions.get(typeName),
    /** Returns a file as a serialized `google.protobuf.FileDescriptorProto`. */
    serialized(file: DescFile): Uint8Array {
      const known = bytes.get(file) ?? toBinary(FileDescriptorProtoSchema, file.proto);
      bytes.set(file, known);
      return known;
    },
  };
}

/** Returns files with all direct and indirect imports: each file once, and before its imports. */
export function withImports(files: readonly DescFile[]): Set<DescFile> {
  const all = new Set(files);
  // Iterating over a set also visits the elements that are added during the iteration.
  for (const file of all) {
    for (const imported of file.dependencies) all.add(imported);
  }
  return all;
}

/** Returns the full names of a declaration and of its members. */
function symbolsOf(desc: Exclude<AnyDesc, DescFile>): string[] {
  switch (desc.kind) {
    case "message":
      return [desc.typeName, ...within(desc.typeName, [...desc.fields, ...desc.oneofs])];
    case "service":
      return [desc.typeName, ...within(desc.typeName, desc.methods)];
    case "enum": {
      // Enum values are siblings of their enum, as in C++.
      const scope = desc.typeName.slice(0, -desc.name.length - 1);
      return [desc.typeName, ...within(scope, desc.values)];
    }
    case "extension":
      return [desc.typeName];
    default:
      return [];
  }
}

function within(scope: string, members: readonly { readonly name: string }[]): string[] {
  return members.map(({ name }) => (scope === "" ? name : `${scope}.${name}`));
}
