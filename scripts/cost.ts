// node scripts/cost.ts [filter…]
//
// Prints each test file's processor seconds, seconds and tests. Files run one at a time, in one worker, on a fresh build.
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
