// node scripts/simulate.ts [--store pglite] [option…]      `--help` lists the options
//
// Builds the missing or stale packages that the simulation needs, then runs packages/testing/bench/simulate.ts. With
// `--store pglite` it runs packages/postgres/bench/simulate.ts instead. See docs/simulation.md.
import { spawnSync } from "node:child_process"
import path from "node:path"
import { root } from "./packages.ts"

const run = (args: ReadonlyArray<string>, stdout: "inherit" | number): number =>
  spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", stdout, "inherit"] }).status ?? 1

const given = process.argv.slice(2)
const store = given.find((_, index) => given[index - 1] === "--store") ?? "memory"

if (store !== "memory" && store !== "pglite") {
  console.error("--store takes memory or pglite")
  process.exitCode = 2
} else {
  const packages = store === "pglite" ? ["postgres", "testing"] : ["testing"]
  const main = path.join(root, "packages", store === "pglite" ? "postgres" : "testing", "bench", "simulate.ts")
  const rest = given.filter((text, index) => text !== "--store" && given[index - 1] !== "--store")
  const built = run([path.join(root, "scripts", "build.ts"), "--if-stale", "--js", ...packages], process.stderr.fd)
  process.exitCode = built === 0 ? run([main, ...rest], "inherit") : built
}
