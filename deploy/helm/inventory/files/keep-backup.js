// Names a checked backup by its time, and deletes all but the newest: keep-backup.js FOLDER NAME COUNT
import { readdirSync, renameSync, rmSync } from "node:fs";

const [folder, name, count] = process.argv.slice(1);
process.chdir(folder);
const time = new Date().toISOString().slice(0, 19).replaceAll(":", "");
renameSync(`.${name}.unchecked`, `${name}-${time}Z.ndjson.gz`);
const pattern = new RegExp(`^${name}-[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{6}Z[.]ndjson[.]gz$`);
const backups = readdirSync(".").filter((file) => pattern.test(file));
for (const file of backups.sort().slice(0, -Number(count))) rmSync(file);
