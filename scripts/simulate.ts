// node scripts/simulate.ts [--seed <number>] [--steps <number>] [--minutes <number>] [--help]
//
// Builds what is missing or stale, then runs the simulation of packages/testing/bench/simulate.ts. See
// docs/simulation.md.
import { spawnSync } from "node:child_process"
import path from "node:path"
import { root } from "./packages.ts"

const run = (args: ReadonlyArray<string>, stdout: "inherit" | number): number =>
  spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", stdout, "inherit"] }).status ?? 1

const builder = path.join(root, "scripts", "build.ts")
const main = path.join(root, "packages", "testing", "bench", "simulate.ts")
const built = run([builder, "--if-stale", "--js", "testing"], process.stderr.fd)
process.exitCode = built === 0 ? run([main, ...process.argv.slice(2)], "inherit") : built
