// Loaded before a server by `--import`: at SIGUSR2 it collects the garbage and writes the retained bytes as a line of
// standard error. The server is unchanged.
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc")

process.on("SIGUSR2", () => {
  // Twice: the next collection frees what finalizers release.
  collect()
  setImmediate(() => {
    collect()
    const { external, heapUsed } = process.memoryUsage()
    process.stderr.write(`kept ${heapUsed + external}\n`)
  })
})
