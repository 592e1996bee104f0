// node scripts/histories.ts [--minutes <number>] [--seed <number>] [--help]
//
// Builds the missing or stale parts of the server, then runs packages/server/test/load/Histories.test.ts. Injects
// faults for a minute by default, compared with six seconds in a test run. The seed determines the clients' requests
// and the order of faults, but not the machine's timing. See docs/simulation.md.
import { spawnSync } from "node:child_process"
import path from "node:path"
import { parseArgs } from "node:util"
import { root } from "./packages.ts"

const usage = "Usage: npx pnpm histories [--minutes <number>, 1 unless given] [--seed <number>]"

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string" },
    help: { type: "boolean", default: false }
  }
})
const seconds = Number(values.minutes) * 60
const isWrong = !(seconds > 0) || (values.seed !== undefined && !/^\d{1,10}$/.test(values.seed))

const run = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): number =>
  spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env }).status ?? 1

const main = (): number => {
  if (values.help || isWrong) {
    console.log(usage)
    return values.help ? 0 : 2
  }
  const built = run([path.join(root, "scripts", "build.ts"), "--if-stale", "--js", "server"], process.env)
  if (built !== 0) return built
  const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs")
  const test = "packages/server/test/load/Histories.test.ts"
  return run([vitest, "run", "--config", "vitest.workspace.ts", test], {
    ...process.env,
    HISTORIES_SECONDS: String(seconds),
    ...(values.seed === undefined ? {} : { HISTORIES_SEED: values.seed })
  })
}

process.exitCode = main()
