import { Console as NodeConsole } from "node:console"
import { Writable } from "node:stream"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect } from "effect"
import { ProcessEnvironment } from "../../src/cli/environment.js"
import { exitCode, program } from "../../src/cli/program.js"

const collected = () => {
  let text = ""
  const stream = new Writable({
    write: (chunk, _, done) => {
      text += chunk
      done()
    }
  })
  return { stream, text: () => text }
}

/**
 * Runs `surety` with `args` in this process, from its sources, with `env` as the environment. It is much cheaper than
 * `runSurety`, and suits tests that need no separate process.
 */
export const runHere = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
  const [stdout, stderr] = [collected(), collected()]
  const exit = await Effect.runPromiseExit(
    program(args).pipe(
      Effect.provide(NodeServices.layer),
      Effect.provideService(Console.Console, new NodeConsole(stdout.stream, stderr.stream)),
      Effect.provideService(ProcessEnvironment, env)
    )
  )
  return { code: exitCode(exit, args), stdout: stdout.text(), stderr: stderr.text() }
}
