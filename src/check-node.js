// Plain JavaScript without new syntax, because older versions of Node must be able to run it.

/** The oldest major version of Node that runs the service; package.json has it in `engines`, too. */
const oldest = 26;

if (Number.parseInt(process.versions.node, 10) < oldest) {
  process.stderr.write(
    `Node ${oldest} or newer is needed; this is ${process.versions.node}. Install it, or begin the command with npx -y -p node@${oldest}\n`,
  );
  process.exit(1);
}
