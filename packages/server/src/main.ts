#!/usr/bin/env node
import { nodeRefusal } from "@surety/core/nodeRefusal"

const refusal = nodeRefusal("@surety/server", process.versions.node)
if (refusal === undefined) {
  // Loaded now: an older Node fails on what the rest imports, before a line of it runs.
  await import("./cli/run.js")
} else {
  process.stderr.write(`${refusal}\n`)
  process.exitCode = 1
}
