// Measures the installed size, load time and memory of `@surety/embed`. npm installs the package's tarball in an empty
// directory, and each sample is taken in a new process there. Run with `npx pnpm bench embed`.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"

const isQuick = process.argv.includes("--quick")
const rounds = isQuick ? 3 : 15

const directory = mkdtempSync(path.join(tmpdir(), "surety-weight-"))
const inHost = (program: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(program, args, { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

const install = (): void => {
  const pnpm = ["--yes", "--prefer-offline", "pnpm", "pack", "--pack-destination", directory]
  execFileSync("npx", pnpm, { cwd: path.join(import.meta.dirname, ".."), stdio: ["ignore", "ignore", "inherit"] })
  const tarball = readdirSync(directory).find((file) => file.endsWith(".tgz")) ?? ""
  const dependencies = { "@surety/embed": `file:./${tarball}` }
  writeFileSync(path.join(directory, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }))
  inHost("npm", "install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
}

const installedMegabytes = (): number =>
  readdirSync(path.join(directory, "node_modules"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => sum + statSync(path.join(parentPath, name)).size, 0) / 1e6

const store = 'postgresStore({ url: "postgres://shop:secret@127.0.0.1:1/shop" })'
const programs = {
  "bare Node": { file: "bare.mjs", code: "" },
  "import, with a PostgreSQL store": {
    file: "import.mjs",
    code: `const { postgresStore } = await import("@surety/embed"); ${store}`
  },
  "require, with a PostgreSQL store": {
    file: "require.cjs",
    code: `const { postgresStore } = require("@surety/embed"); ${store}`
  },
  "createSurety, over memory": {
    file: "create.mjs",
    code: `const { createSurety, memoryStore } = await import("@surety/embed")
const surety = await createSurety({ store: memoryStore(), secretsKey: Buffer.alloc(32, 7).toString("base64"), targets: "any" })`
  }
}
type Program = keyof typeof programs

const measuring = (code: string): string => `const startedAt = performance.now()
${code}
const millis = performance.now() - startedAt
console.log(JSON.stringify({ millis, megabytes: process.memoryUsage().rss / 1e6 }))
process.exit()
`

interface Sample {
  readonly millis: number
  readonly megabytes: number
}

/** Returns the lowest value, since other load on the machine only adds to a measurement. */
const lowest = (values: ReadonlyArray<number>): number => Math.min(...values)

const measure = (): Readonly<Record<Program, Sample>> => {
  const samples = new Map<string, Array<Sample>>()
  // Alternates between programs, so that other load on the machine affects all of them.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { code, file }] of Object.entries(programs)) {
      writeFileSync(path.join(directory, file), measuring(code))
      const sample: Sample = JSON.parse(inHost(process.execPath, file))
      // Discards the first round, which reads the files from disk.
      if (round > 0) samples.set(name, [...(samples.get(name) ?? []), sample])
    }
  }
  const lowestOf = (name: Program): Sample => ({
    millis: lowest((samples.get(name) ?? []).map(({ millis }) => millis)),
    megabytes: lowest((samples.get(name) ?? []).map(({ megabytes }) => megabytes))
  })
  return {
    "bare Node": lowestOf("bare Node"),
    "import, with a PostgreSQL store": lowestOf("import, with a PostgreSQL store"),
    "require, with a PostgreSQL store": lowestOf("require, with a PostgreSQL store"),
    "createSurety, over memory": lowestOf("createSurety, over memory")
  }
}

try {
  install()
  const installed = installedMegabytes()
  const measured = measure()
  const bare = measured["bare Node"].megabytes
  const lines = Object.entries(measured).map(([what, { megabytes, millis }]) => ({
    what,
    "time ms": what === "bare Node" ? null : Math.round(millis),
    "memory over a bare process MB": Math.round(megabytes - bare)
  }))
  const goalsOf = (name: Program) => {
    const { megabytes, millis } = measured[name]
    return [
      { what: `${name}: time`, goal: "at most 300 ms", measured: `${Math.round(millis)} ms`, isMet: millis <= 300 },
      {
        what: `${name}: memory over bare Node`,
        goal: "at most 60 MB",
        measured: `${Math.round(megabytes - bare)} MB`,
        isMet: megabytes - bare <= 60
      }
    ]
  }
  const goals = [
    ...goalsOf("import, with a PostgreSQL store"),
    ...goalsOf("require, with a PostgreSQL store"),
    {
      what: "installed",
      goal: "at most 60 MB",
      measured: `${Math.round(installed)} MB`,
      isMet: installed <= 60
    }
  ]
  const { megabytes, millis } = measured["import, with a PostgreSQL store"]
  const figures = { importMillis: millis, importMegabytes: megabytes - bare, installedMegabytes: installed }
  const embed = { versions: {}, settings: { rounds }, lines, goals, figures }
  console.log(JSON.stringify({ embed }))
} finally {
  rmSync(directory, { recursive: true, force: true })
}
