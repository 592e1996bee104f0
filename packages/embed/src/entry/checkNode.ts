import { nodeRefusal } from "@surety/core/nodeRefusal"

const refusal = nodeRefusal("@surety/embed", process.versions.node)
if (refusal !== undefined) {
  // An exception would bury the one helpful line between a source line and a stack trace.
  process.stderr.write(`${refusal}\n`)
  process.exit(1)
}
