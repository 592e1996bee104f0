import { readdirSync, readFileSync } from "node:fs"
import { cpus } from "node:os"

/** Processor time used during an interval, in seconds. */
export interface CpuTimes {
  readonly load: number
  readonly server: number
  readonly database: number
  /** Time used by other processes. The measurement is meaningful only if this is small. */
  readonly others: number
  /** The interval's length multiplied by the number of processors. */
  readonly available: number
}

/** Ids of the metered processes. */
export interface Metered {
  readonly load: number
  readonly server: number
  /** Process id of the postmaster, whose child processes do PostgreSQL's work. */
  readonly postmaster: number
}

interface ProcessTimes {
  readonly parent: number
  readonly seconds: number
  /** Time of child processes that have ended. */
  readonly childSeconds: number
}

const clockTicksPerSecond = 100
const field = { parent: 1, user: 11, system: 12, childUser: 13, childSystem: 14 }

/** Returns undefined if the process has ended. */
const timesOf = (pid: number): ProcessTimes | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const seconds = (index: number): number => Number(fields[index]) / clockTicksPerSecond
    return {
      parent: Number(fields[field.parent]),
      seconds: seconds(field.user) + seconds(field.system),
      childSeconds: seconds(field.childUser) + seconds(field.childSystem)
    }
  } catch {
    return undefined
  }
}

const familySeconds = (postmaster: number): number => {
  const own = timesOf(postmaster)
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => timesOf(Number(name)))
    .filter((times) => times?.parent === postmaster)
  return children.reduce((sum, times) => sum + (times?.seconds ?? 0), (own?.seconds ?? 0) + (own?.childSeconds ?? 0))
}

const busySeconds = (): number =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1000

const read = ({ load, postmaster, server }: Metered) => ({
  at: performance.now() / 1000,
  load: timesOf(load)?.seconds ?? 0,
  server: timesOf(server)?.seconds ?? 0,
  database: familySeconds(postmaster),
  busy: busySeconds()
})

/** Starts metering and returns a function that reads the times since the start. Returns undefined except on Linux. */
export const meter = (metered: Metered): (() => CpuTimes) | undefined => {
  if (process.platform !== "linux") return undefined
  const before = read(metered)
  return () => {
    const after = read(metered)
    const spent = (of: "load" | "server" | "database" | "busy"): number => after[of] - before[of]
    const times = { load: spent("load"), server: spent("server"), database: spent("database") }
    return {
      ...times,
      others: Math.max(0, spent("busy") - times.load - times.server - times.database),
      available: (after.at - before.at) * cpus().length
    }
  }
}
