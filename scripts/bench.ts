// node scripts/bench.ts [whoami] [refunds] [--connections <n>]… [--quick] [--json] [--profile <directory>]
// node scripts/bench.ts routes [part of a route's name…] [--quick] [--json]
// node scripts/bench.ts scale [--refunds <n>,…] [--quick] [--json]
// node scripts/bench.ts console [--refunds <n>] [--quick] [--json]      the console's pages with 5,000,000 refunds
// node scripts/bench.ts night [--refunds <n>] [--json]      surety verify after a night's refunds
// node scripts/bench.ts webhooks [idle] [backlog] [fairness] [--quick] [--json] [--profile <directory>]
// node scripts/bench.ts claims [--json]      a backlog claimed by one node and by three
// node scripts/bench.ts verifier [--quick] [--json]
// node scripts/bench.ts json [part of a body's name…] [--quick] [--json]
// node scripts/bench.ts flood [--quick] [--json]      ten times as many callers as a server handles concurrently
// node scripts/bench.ts embed [--quick] [--json]
// node scripts/bench.ts flows [--list] [--json]
// node scripts/bench.ts cells [--quick] [--json]    with CITUS_NATIVE, Citus too
// node scripts/bench.ts simulation [--quick] [--json]    the 100,000 steps of every test run
// node scripts/bench.ts all      every bench except console and night, in under 30 minutes
// node scripts/bench.ts page     renders docs/bench.md and the figures on other pages, without measuring
//
// Builds missing or stale packages, measures, prints, and writes docs/bench/<name>.json and every page that quotes it.
// Writes nothing if one bench is run with options other than `--refunds`, or with parts other than whoami and refunds.
import { spawnSync } from "node:child_process"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { type AllBenchData, benchNames, readData, toData, writeData } from "./bench/BenchData.ts"
import { pageFile, renderPage, sectionsOf, templateFile, withFigures } from "./bench/BenchPage.ts"
import { root } from "./packages.ts"

interface Bench {
  readonly main: string
  readonly packages: ReadonlyArray<string>
  /** Options passed on every run. */
  readonly options?: ReadonlyArray<string>
}

const server: Bench = { main: "packages/server/bench/main.ts", packages: ["server", "testing"] }
const benches: Readonly<Record<string, Bench>> = {
  routes: { main: "packages/server/bench/routes/main.ts", packages: ["server", "testing"] },
  scale: { main: "packages/server/bench/scale/main.ts", packages: ["server", "testing"] },
  console: { main: "packages/server/bench/scale/main.ts", packages: ["server", "testing"], options: ["--pages"] },
  night: { main: "packages/server/bench/scale/night.ts", packages: ["server", "testing"] },
  webhooks: { main: "packages/server/bench/webhooks/main.ts", packages: ["server", "testing"] },
  claims: { main: "packages/server/bench/webhooks/claims.ts", packages: ["server", "testing"] },
  verifier: { main: "packages/verifier/bench/verifier.bench.ts", packages: ["verifier"] },
  json: { main: "packages/http/bench/hostile/main.ts", packages: ["http"] },
  flood: { main: "packages/server/bench/flood/main.ts", packages: ["server", "testing"] },
  embed: { main: "packages/embed/bench/main.ts", packages: ["embed"] },
  flows: { main: "packages/server/bench/flows/main.ts", packages: ["server", "testing"] },
  cells: { main: "packages/cells/bench/main.ts", packages: ["cells", "testing"] },
  simulation: { main: "packages/testing/bench/steps.ts", packages: ["testing"] }
}

const build = (packages: ReadonlyArray<string>): void => {
  const builder = [path.join(root, "scripts", "build.ts"), "--if-stale", "--js", ...packages]
  // Standard output must carry only the report, so the build writes to standard error.
  const { status } = spawnSync(process.execPath, builder, { stdio: ["ignore", process.stderr.fd, process.stderr.fd] })
  if (status !== 0) process.exit(status ?? 1)
}

const run = ({ main, options: always = [], packages }: Bench, options: ReadonlyArray<string>): string => {
  build(packages)
  const { status, stdout } = spawnSync(process.execPath, [path.join(root, main), ...always, ...options], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "inherit"]
  })
  if (status !== 0) process.exit(status ?? 1)
  return stdout
}

const writePage = (file: string, text: string): void => {
  const target = path.join(root, file)
  if (readFileSync(target, "utf8") === text) return
  writeFileSync(target, text)
  console.error(`Wrote ${file}`)
}

const writePages = (): void => {
  const all = readData()
  writePage(pageFile, renderPage(all, readFileSync(path.join(root, templateFile), "utf8")))
  const pages = globSync("**/*.md", { cwd: root, exclude: ["**/node_modules", "**/dist"] })
  for (const page of pages.filter((file) => file !== pageFile && file !== templateFile)) {
    writePage(page, withFigures(all, readFileSync(path.join(root, page), "utf8")))
  }
}

const store = (measured: AllBenchData): void => {
  for (const name of benchNames) {
    const data = measured[name]
    if (data !== undefined) console.error(`Wrote ${writeData(name, data)}`)
  }
}

const report = (measured: AllBenchData): void => console.log(sectionsOf(measured))

const given = process.argv.slice(2).filter((argument, index) => index > 0 || argument !== "--")

if (given[0] === "all") {
  // `console` is left out, since five million refunds take too long and `scale` measures its pages too. `night` is left
  // out because it takes 5 minutes.
  const { console: _, night: __, ...others } = benches
  for (const [name, bench] of Object.entries({ server, ...others })) {
    // At full length, `webhooks` and `scale` take 13 minutes each. With `--quick`, they take 5 and 3 minutes.
    const measured = toData(run(bench, name === "webhooks" || name === "scale" ? ["--quick"] : []))
    report(measured)
    store(measured)
  }
  writePages()
} else if (given[0] === "page") {
  writePages()
} else {
  const named = benches[given[0] ?? ""]
  const options = (named === undefined ? given : given.slice(1)).filter((option) => option !== "--json")
  const isWhole =
    named === benches.scale || named === benches.console || named === benches.night
      ? !options.includes("--quick")
      : options.every((option) => named === undefined && !option.startsWith("-"))
  const output = run(named ?? server, options)
  if (given.includes("--json")) process.stdout.write(output)
  else {
    const measured = toData(output)
    report(measured)
    if (isWhole) {
      store(measured)
      writePages()
    }
  }
}
