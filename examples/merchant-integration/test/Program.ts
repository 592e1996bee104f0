import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"

/** A program that has printed its ready line. */
export interface Program {
  /** The url in its ready line. */
  readonly url: string
  readonly output: () => string
  /** Stops it as an operator would, and returns its exit code. */
  readonly stop: () => Promise<number | null>
}

const readyMillis = 60_000

/** Runs a file with Node and waits for its `… listening on <url>` line. Rejects with its output if it exits first. */
export const startProgram = async (
  file: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Promise<Program> => {
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: "pipe"
  })
  let output = ""
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`${file} is not ready in ${readyMillis} ms: ${output}`)),
      readyMillis
    )
    const hear = (text: Buffer) => {
      output += text.toString()
      const ready = /listening on (\S+)/u.exec(output)?.[1]
      if (ready === undefined) return
      clearTimeout(late)
      resolve(ready)
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    child.once("exit", (code) => {
      clearTimeout(late)
      reject(new Error(`${file} ended with ${code}: ${output}`))
    })
  })
  return { url, output: () => output, stop: () => stop(child) }
}

const stop = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode !== null) return child.exitCode
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  const [code] = await ended
  return code
}
