import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import type { Reporter, TestModule } from "vitest/node"
import { root } from "./packages.ts"

/** Number of ticks per second in `/proc`: `USER_HZ`, which is 100 on all common platforms. */
const ticksPerSecond = 100

interface Process {
  readonly id: number
  readonly parent: number
  /** Processor time, in ticks, of the process and its reaped children. */
  readonly ticks: number
}

/**
 * Parses a process from its line in `/proc/<id>/stat`. The name is in brackets and may itself contain spaces and
 * brackets.
 */
export const parseStat = (line: string): Process => {
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ")
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { id: Number.parseInt(line, 10), parent: Number(fields[1]), ticks }
}

/** Returns the processor time, in seconds, of a process and its descendants in `processes`. */
export const secondsBelow = (processes: ReadonlyArray<Process>, id: number): number => {
  const children = Map.groupBy(processes, ({ parent }) => parent)
  const ticksOf = (one: Process): number =>
    (children.get(one.id) ?? []).reduce((sum, child) => sum + ticksOf(child), one.ticks)
  return processes.filter((one) => one.id === id).reduce((sum, one) => sum + ticksOf(one), 0) / ticksPerSecond
}

const readStat = (id: string): ReadonlyArray<Process> => {
  try {
    return [parseStat(readFileSync(`/proc/${id}/stat`, "utf8"))]
  } catch {
    // The process has ended since the directory was read, so it is skipped.
    return []
  }
}

const processes = (): ReadonlyArray<Process> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readStat)

interface Cost {
  readonly file: string
  readonly processorSeconds: number
  readonly seconds: number
  readonly tests: number
}

const lineOf = ({ file, processorSeconds, seconds, tests }: Cost): string =>
  [
    processorSeconds.toFixed(1).padStart(10),
    seconds.toFixed(1).padStart(10),
    String(tests).padStart(7),
    ` ${file}`
  ].join("")

/**
 * Prints the cost of each test file as it ends: processor seconds, elapsed seconds and number of tests. Counts Vitest,
 * the worker, PostgreSQL and the programs that the file starts, so it needs a run with a single worker. Reads `/proc`,
 * so it needs Linux. Misses ended processes that no parent waited for, such as a browser's. A file that uses a browser
 * costs two or three times the printed figure.
 */
export class ProcessorTime implements Reporter {
  private total = 0
  private before = { processor: 0, wall: 0 }

  private now() {
    return { processor: secondsBelow(processes(), process.pid), wall: performance.now() / 1_000 }
  }

  onTestRunStart(): void {
    this.before = this.now()
  }

  onTestModuleEnd(module: TestModule): void {
    const now = this.now()
    const cost: Cost = {
      file: path.relative(root, module.moduleId),
      processorSeconds: now.processor - this.before.processor,
      seconds: now.wall - this.before.wall,
      tests: [...module.children.allTests()].length
    }
    this.before = now
    this.total += cost.processorSeconds
    console.log(lineOf(cost))
  }

  onTestRunEnd(): void {
    console.log(`${this.total.toFixed(1).padStart(10)}  all`)
  }
}
