// Loaded before a server by `--import`: at SIGUSR2 it collects the garbage and writes what is kept, in bytes, as a line of
// standard error. Nothing of the server is changed.
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc")

process.on("SIGUSR2", () => {
  // Twice: what a finalizer lets go is collected by the next.
  collect()
  setImmediate(() => {
    collect()
    const { external, heapUsed } = process.memoryUsage()
    process.stderr.write(`kept ${heapUsed + external}\n`)
  })
})
