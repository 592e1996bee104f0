import { existsSync, readFileSync } from "node:fs"

const watchIntervalMillis = 500

/** Maximum number of ancestors up to npx: the script's shell, pnpm, npx's shell and npx itself. */
const maxAncestors = 4

const parentOf = (pid: number): number | undefined => {
  const status = `/proc/${pid}/status`
  return existsSync(status) ? Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(status, "utf8"))?.[1]) : undefined
}

const isNpx = (pid: number): boolean => {
  const command = `/proc/${pid}/cmdline`
  return existsSync(command) && readFileSync(command, "utf8").startsWith("npm exec")
}

/**
 * Returns the ids of the processes from this one's parent up to npx, nearest first. Returns none if npx is not among
 * the nearest `maxAncestors`, or on a system without `/proc`.
 */
const ancestorsUpToNpx = (): ReadonlyArray<number> => {
  const ancestors: Array<number> = []
  let pid: number | undefined = process.ppid
  while (pid !== undefined && pid > 1 && ancestors.length < maxAncestors) {
    ancestors.push(pid)
    if (isNpx(pid)) return ancestors
    pid = parentOf(pid)
  }
  return []
}

/**
 * Sends this process SIGTERM when the `npx` that started it, or a process in between, has ended. npx passes SIGTERM to
 * a shell, which does not forward it. Without this watch, a supervisor that ends only npx would leave the server
 * running and its port in use. A signal that does arrive ends the watch, since a second one would cut the server's
 * graceful shutdown short.
 */
export const endWithNpx = (): void => {
  const ancestors = ancestorsUpToNpx()
  if (ancestors.length === 0) return
  const isIntact = (): boolean => ancestors.slice(1).every((pid, index) => parentOf(ancestors[index] ?? 0) === pid)
  let wasIntact = true
  const watch = setInterval(() => {
    if (isIntact()) return
    if (wasIntact) {
      wasIntact = false // pnpm may be about to forward a signal
      return
    }
    clearInterval(watch)
    process.kill(process.pid, "SIGTERM")
  }, watchIntervalMillis)
  watch.unref()
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      clearInterval(watch)
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
    })
  }
}
