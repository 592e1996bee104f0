import process from "node:process"
import { runCommand } from "./runCommand.js"
import { type Terminal, wantsColours, withoutKeys } from "./Terminal.js"

// Hides the arguments from `ps`, since one of them may be the key.
process.title = "surety-client"

const stop = new AbortController()

/** Interrupts the command on the first call. Exits immediately on the second. */
const end = (): void => {
  if (stop.signal.aborted) process.exit(130)
  stop.abort()
}
process.on("SIGINT", end)
process.on("SIGTERM", end)

// Exits once the reader of the output, such as `head`, has exited.
process.stdout.on("error", () => process.exit(0))
process.stderr.on("error", () => {})

const keyboard = (listener: (key: string) => void): (() => void) => {
  const { stdin } = process
  const onData = (data: Buffer): void => {
    for (const key of data.toString("utf8")) {
      // In raw mode, Ctrl-C and Ctrl-D arrive as characters.
      if (key === "\u0003" || key === "\u0004") end()
      else listener(key)
    }
  }
  stdin.setRawMode(true)
  stdin.on("data", onData)
  stdin.resume()
  return () => {
    stdin.off("data", onData)
    stdin.setRawMode(false)
    stdin.pause()
  }
}

const terminal: Terminal = {
  env: process.env,
  print: (line) => void process.stdout.write(`${withoutKeys(line)}\n`),
  printError: (line) => void process.stderr.write(`${withoutKeys(line)}\n`),
  colours: wantsColours(process.stdout.isTTY === true, process.env),
  onKey: process.stdin.isTTY === true ? keyboard : undefined,
  signal: stop.signal
}

// Unlike `process.exit`, this lets pending output flush.
process.exitCode = await runCommand(process.argv.slice(2), terminal)
