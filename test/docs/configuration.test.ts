import { expect, test } from "vitest";
import type { Setting } from "../../src/config/setting.ts";
import { settingGroups } from "../../src/config/settings.ts";

const intro = `# Configuration

Set [the alias \`inventory\`](cli.md) first:

\`\`\`console
$ PORT=9000 LOG_LEVEL=warn inventory config show | grep -E '^(PORT|LOG_LEVEL|WORKERS) ' | tr -s ' '
PORT 9000 environment
WORKERS 1 default
LOG_LEVEL warn environment
\`\`\`

Every setting is an environment variable. If any is invalid, the service prints a line for each fault and exits with
code 1.

\`.env.example\` is a file with all settings.

## Check and show settings

\`\`\`console
$ PORT=99999 REDIS_ULR=redis://db inventory config check
REDIS_ULR is not a setting: did you mean REDIS_URL? Rename or remove it
PORT is "99999": it must be an integer from 0 to 65535
error: found 2 faults in the settings
$ echo 'redis://inventory:secret@db' > /tmp/redis-url
$ printf 'LOG_LEVEL=warn\\nREDIS_URL_FILE=/tmp/redis-url\\n' > /tmp/inventory.env
$ CONFIG_FILE=/tmp/inventory.env inventory config show | grep -E '^(REDIS_URL|REDIS_MODE|LOG_LEVEL) ' | tr -s ' '
REDIS_URL redis://inventory:***@db /tmp/redis-url
REDIS_MODE single default
LOG_LEVEL warn /tmp/inventory.env
\`\`\`

\`config check\` finds all faults in settings and in the files that they name, without a connection to Redis. \`config show\`
prints each value and its source, without passwords. Both commands read the environment of your shell, not that of a running
service.

In \`CONFIG_FILE\`, every unknown name is a fault. In the environment, an unknown name is a fault only if it resembles a
setting that is not set.

## Settings in files

\`CONFIG_FILE\` is the path of a file with settings. Each line is \`NAME=value\`, a comment that begins with \`#\`, or blank. A value
may be in quotes. The environment takes precedence over the file.

Each secret can be in a file of its own, such as a secret of Docker or Kubernetes: \`REDIS_URL_FILE\` is the path of a file
with the value of \`REDIS_URL\`. Set only one of the two.

## Reload with SIGHUP

\`\`\`sh
systemctl reload inventory  # or: kill -HUP PID
\`\`\`

On SIGHUP, the service reads its files again. Connections and streams stay open.

| What | Effect |
| --- | --- |
| \`TLS_CERT\`, \`TLS_KEY\` | New connections use the new certificate. |
| \`LOG_LEVEL\` in \`CONFIG_FILE\` | The level changes at once. |
| \`REDIS_PASSWORD_FILE\`, \`REDIS_URL_FILE\`, \`REDIS_TLS_*\` | The service [connects to Redis again](redis.md#passwords-and-certificates) with the new password and certificates. Another host or user in \`REDIS_URL_FILE\` needs a restart. |
| other settings in \`CONFIG_FILE\` | The service logs their names. They take effect after a restart. |

If anything is invalid, the service logs one error with all faults and changes nothing. With \`WORKERS\`, send the signal to the
parent process: it checks the files and passes the signal on.
`;

const header = `| Variable | Default | Values | Meaning |
| --- | --- | --- | --- |
`;

test("docs/operator/configuration.md lists every setting", async () => {
  const sections = Object.entries(settingGroups).map(
    ([title, settings]) =>
      `\n## ${title}\n\n${header}${Object.entries(settings).map(row).join("")}`,
  );
  await expect(intro + sections.join("")).toMatchFileSnapshot(
    "../../docs/operator/configuration.md",
  );
});

function row([name, { default: text, bounds, meaning, secret }]: [string, Setting<unknown>]) {
  const names = secret ? `\`${name}\` or \`${name}_FILE\`` : `\`${name}\``;
  return `| ${names} | ${text ? `\`${text}\`` : "none"} | ${bounds} | ${meaning} |\n`;
}

const allSettings = Object.values(settingGroups).flatMap((group) =>
  Object.entries<Setting<unknown>>(group),
);

test("a setting begins with what it bounds, in the same words everywhere", () => {
  for (const [name, { meaning }] of allSettings) {
    expect(meaning, name).not.toMatch(/^(Most|Largest|Longest|Fewest|How long)\b/);
    if (/^MAX_(?!CONNECTION_AGE)/.test(name))
      expect(meaning, name).toMatch(/^(The same m|M)aximum/);
    if (/_MS$/.test(name)) expect(meaning, name).toMatch(/^Time .*, in milliseconds\./);
  }
});
