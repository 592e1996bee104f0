import { nodeRefusal } from "@surety/core/nodeRefusal"

const refusal = nodeRefusal("@surety/embed", process.versions.node)
if (refusal !== undefined) {
  // An uncaught exception would print a source line and a stack trace around the one helpful line.
  process.stderr.write(`${refusal}\n`)
  process.exit(1)
}
