import { readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { BenchFailed } from "../BenchFailed.ts"

const root = path.join(import.meta.dirname, "..", "..", "..", "..")

const Answer = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.Number,
    result: Schema.optionalKey(
      Schema.Struct({
        result: Schema.optionalKey(
          Schema.Array(
            Schema.Struct({
              url: Schema.String,
              functions: Schema.Array(
                Schema.Struct({
                  functionName: Schema.String,
                  ranges: Schema.NonEmptyArray(Schema.Struct({ startOffset: Schema.Number, count: Schema.Number }))
                })
              )
            })
          )
        )
      })
    )
  })
)
type Answer = typeof Answer.Type
const decodeAnswer = Schema.decodeUnknownSync(Answer)

/** Maps the url of a module in `dist` to its source file in this workspace. Undefined for any other module. */
const sourceOf = (url: string): string | undefined => {
  if (!url.startsWith("file://")) return undefined
  const [, name, module] = /^packages\/([\w-]+)\/dist\/(.+)\.js$/u.exec(path.relative(root, fileURLToPath(url))) ?? []
  return name === undefined ? undefined : `packages/${name}/src/${module}.ts`
}

export const linesOf = (file: string): number =>
  readFileSync(path.join(root, file), "utf8").trimEnd().split("\n").length

/** Precise V8 coverage of another process, read through its inspector. */
export class Coverage {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #calls = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener("message", ({ data }) => {
      const answer = decodeAnswer(String(data))
      this.#waiting.get(answer.id)?.(answer)
      this.#waiting.delete(answer.id)
    })
  }

  /** Connects to the inspector url that a process printed (`ws://…`) and starts counting. */
  static async open(url: string): Promise<Coverage> {
    const socket = new WebSocket(url)
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("open", () => resolve(), { once: true })
      socket.addEventListener("error", () => reject(new BenchFailed({ message: `No inspector at ${url}` })), {
        once: true
      })
    })
    const coverage = new Coverage(socket)
    await coverage.#call("Profiler.enable")
    await coverage.#call("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
    return coverage
  }

  #call(method: string, params: object = {}): Promise<Answer> {
    this.#calls += 1
    const id = this.#calls
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#socket.send(JSON.stringify({ id, method, params }))
    })
  }

  /** Returns the source files in which a function ran since the previous call, or since `open`. */
  async take(): Promise<ReadonlySet<string>> {
    const { result } = await this.#call("Profiler.takePreciseCoverage")
    return new Set(
      (result?.result ?? []).flatMap(({ functions, url }) => {
        const source = sourceOf(url)
        return source !== undefined && functions.some(({ ranges }) => ranges[0].count > 0) ? [source] : []
      })
    )
  }

  close(): void {
    this.#socket.close()
  }
}

/** Returns the files that ran in every window. A file that ran in only some of them probably served other work. */
export const inEach = (windows: ReadonlyArray<ReadonlySet<string>>): ReadonlyArray<string> => {
  const [first, ...others] = windows
  return [...(first ?? [])].filter((file) => others.every((other) => other.has(file))).toSorted()
}
