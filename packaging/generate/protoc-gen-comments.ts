#!/usr/bin/env node
import type { AnyDesc, DescFile } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { createEcmaScriptPlugin, getComments, runNodeJs } from "@bufbuild/protoplugin";

/**
 * A plugin for buf generate. It writes the comments of the contract to `comments.json`, by the full name of the
 * commented element. The OpenAPI document needs them, and descriptors at run time do not contain them.
 */
const plugin = createEcmaScriptPlugin({
  name: "protoc-gen-comments",
  version: "v1",
  generateTs({ files, generateFile }) {
    const own = files.filter(({ proto }) => !/^(google|grpc)\./.test(proto.package));
    const comments = own.flatMap(commentsOf).filter(([, text]) => text !== "");
    if (comments.length > 0) {
      const json = JSON.stringify(Object.fromEntries(comments), undefined, 2);
      generateFile("comments.json").print(json);
    }
  },
});

function commentsOf(file: DescFile): [name: string, text: string][] {
  return [...nestedTypes(file)].flatMap((desc) => [
    [desc.typeName, textOf(desc)] as [string, string],
    ...membersOf(desc).map((member): [string, string] => [
      `${desc.typeName}.${member.name}`,
      textOf(member),
    ]),
  ]);
}

function membersOf(desc: AnyDesc) {
  if (desc.kind === "message") return desc.fields;
  if (desc.kind === "enum") return desc.values;
  return desc.kind === "service" ? desc.methods : [];
}

/** Returns the comment with line breaks between paragraphs only. */
function textOf(desc: Exclude<AnyDesc, DescFile>): string {
  const { leading = "" } = getComments(desc);
  const paragraphs = leading.split(/\n\s*\n/).map((paragraph) => paragraph.trim());
  return paragraphs.map((paragraph) => paragraph.replace(/\s*\n\s*/g, " ")).join("\n\n");
}

runNodeJs(plugin);
