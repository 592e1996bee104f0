// node scripts/cost.ts [filter…]
//
// Prints each test file's processor seconds, elapsed seconds and number of tests. Builds stale packages first. Then
// runs the files one at a time, in one worker.
import { startVitest } from "vitest/node"
import { build } from "./build.ts"
import { ProcessorTime } from "./ProcessorTime.ts"

await build({ ifStale: true, declarations: false })
await startVitest(process.argv.slice(2), {
  run: true,
  config: "vitest.workspace.ts",
  maxWorkers: 1,
  reporters: ["default", new ProcessorTime()]
})
