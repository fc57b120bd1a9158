import { expect, it } from "vitest";
import { settings } from "../../src/config/settings.ts";

const intro = `# Configuration

\`\`\`sh
REDIS_URL=redis://127.0.0.1:6379 PORT=9000 npm start
\`\`\`

Every setting is an environment variable. If a value is invalid, the service prints the name of the setting and what is
wrong with it, and exits.

\`npm run docs\` makes this page from \`src/config/\`.

| Variable | Default | Values | Meaning |
| --- | --- | --- | --- |
`;

it("docs/configuration.md lists every setting", async () => {
  const rows = Object.entries(settings).map(
    ([name, setting]) =>
      `| \`${name}\` | ${setting.default ? `\`${setting.default}\`` : "none"} | ${setting.bounds} | ${setting.meaning} |\n`,
  );
  await expect(intro + rows.join("")).toMatchFileSnapshot("../../docs/configuration.md");
});
