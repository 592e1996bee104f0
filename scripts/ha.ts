// node scripts/ha.ts [--rest <seconds>] [--write] [--built] [--sparing] [--help]
//
// Builds the server's missing or stale JavaScript, unless `--built` is given. Starts deploy/ha on this machine: three
// PostgreSQL servers under Patroni and etcd, PgBouncer, HAProxy and three Surety nodes. Clients send refunds while the
// primary, etcd's leader and a node are killed in turn. Prints what the clients saw. The exit code is 1 if the
// rehearsal failed or any guarantee was broken. `--rest` is how long clients send before the first fault, after each
// fault and after each recovery (default: 10). `--write` stores the figures and updates the pages that quote them,
// unless a guarantee was broken. `--sparing` is for tests, which need no figures, and cannot be combined with
// `--write`. With `--sparing`, clients send few refunds while the cluster recovers, and nodes serve no documentation.
import { spawnSync } from "node:child_process"
import path from "node:path"
import { parseArgs } from "node:util"
import { toData, writeData } from "./bench/BenchData.ts"
import { Place } from "./ha/Place.ts"
import { findPrograms, versionsOf } from "./ha/Programs.ts"
import { linesOf, rehearse, reportOf, type Seen } from "./ha/Rehearsal.ts"
import { root } from "./packages.ts"

const usage = "Usage: npx pnpm ha [--rest <seconds>, 10 unless given] [--write]"

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: {
    rest: { type: "string", default: "10" },
    write: { type: "boolean", default: false },
    built: { type: "boolean", default: false },
    sparing: { type: "boolean", default: false },
    help: { type: "boolean", default: false }
  }
})

const restSeconds = Number(values.rest)
const startedAt = performance.now()

const tell = (line: string): void => {
  console.error(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${line}`)
}

const store = (seen: Seen, versions: Readonly<Record<string, string>>): void => {
  const { ha } = toData(JSON.stringify(reportOf(seen, versions, restSeconds)))
  if (ha === undefined) throw new Error("The report has no figures")
  console.error(`Wrote ${writeData("ha", ha)}`)
  spawnSync(process.execPath, [path.join(root, "scripts", "bench.ts"), "page"], { cwd: root, stdio: "inherit" })
}

const main = async (): Promise<number> => {
  if (values.help || !(restSeconds > 0) || (values.write && values.sparing)) {
    console.log(usage)
    return values.help ? 0 : 2
  }
  const programs = findPrograms(process.env)
  if ("missing" in programs) {
    console.error(programs.missing)
    return 2
  }
  const builder = [path.join(root, "scripts", "build.ts"), "--if-stale", "--js", "server"]
  if (!values.built) {
    const built = spawnSync(process.execPath, builder, { cwd: root, stdio: ["ignore", process.stderr.fd, "inherit"] })
    if (built.status !== 0) return built.status ?? 1
  }

  const place = new Place()
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      tell(`${signal}: ending everything`)
      void place.end().then(() => process.exit(1))
    })
  }
  try {
    const seen = await rehearse(programs, place, { restSeconds, isSparing: values.sparing, tell })
    for (const line of linesOf(seen)) console.log(line)
    if (seen.wrong.length === 0 && values.write) store(seen, versionsOf(programs))
    return seen.wrong.length === 0 ? 0 : 1
  } catch (error) {
    console.error(error)
    for (const line of place.lastLines()) console.error(line)
    return 1
  } finally {
    await place.end()
  }
}

process.exitCode = await main()
