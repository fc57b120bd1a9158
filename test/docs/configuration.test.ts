import { expect, it } from "vitest";
import { settings } from "../../src/config.ts";

const intro = `# Configuration

Every setting is an environment variable. A wrong one stops the service at start-up with a line that
names it. This page is made from \`src/config.ts\` by \`npm run docs\`, and a test holds it to that.

| Variable | Default | Values | Meaning |
| --- | --- | --- | --- |
`;

it("the configuration reference says what the settings are", async () => {
  const rows = Object.entries(settings).map(
    ([name, setting]) =>
      `| \`${name}\` | ${setting.default ? `\`${setting.default}\`` : "none"} | ${setting.bounds} | ${setting.meaning} |\n`,
  );
  await expect(intro + rows.join("")).toMatchFileSnapshot("../../docs/configuration.md");
});
