// Preloaded into a server with `--import`. On SIGUSR2, collects garbage and writes the number of retained bytes to
// standard error as one line. The server itself is unchanged.
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc")

process.on("SIGUSR2", () => {
  // Collects twice, since the second collection frees what finalizers release.
  collect()
  setImmediate(() => {
    collect()
    const { external, heapUsed } = process.memoryUsage()
    process.stderr.write(`kept ${heapUsed + external}\n`)
  })
})
