#!/usr/bin/env node
import { nodeRefusal } from "@surety/core/nodeRefusal"

const refusal = nodeRefusal("@surety/server", process.versions.node)
if (refusal === undefined) {
  // Imported dynamically: an older Node would fail on these modules before running any code of this file.
  await import("./cli/run.js")
} else {
  process.stderr.write(`${refusal}\n`)
  process.exitCode = 1
}
