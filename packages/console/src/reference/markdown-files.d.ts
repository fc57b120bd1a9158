/** The build makes the text of a Markdown file the default export of a module. */
declare module "*.md" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: esbuild's loader `text` has no other export.
  export default text;
}
