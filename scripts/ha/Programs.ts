import { spawnSync } from "node:child_process"
import { accessSync, constants, readdirSync } from "node:fs"
import path from "node:path"

/** Programs that the rehearsal needs, with their Debian packages. */
const packageOf = {
  etcd: "etcd-server",
  patroni: "patroni",
  pgbouncer: "pgbouncer",
  haproxy: "haproxy",
  psql: "postgresql",
  pg_rewind: "postgresql",
  pg_basebackup: "postgresql",
  postgres: "postgresql"
} as const

type Program = keyof typeof packageOf

export type Programs = Readonly<Record<Program, string>>

const installed = "/usr/lib/postgresql"

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns the `bin` directories of Debian's PostgreSQL versions, newest first. */
const binDirectories = (): ReadonlyArray<string> => {
  try {
    return readdirSync(installed)
      .toSorted((one, other) => Number(other) - Number(one))
      .map((version) => path.join(installed, version, "bin"))
  } catch {
    return []
  }
}

/**
 * Finds the programs. Searches for the PostgreSQL programs in `PG_TOOLS` (default: Debian's newest version), then in
 * `PATH`. Searches for all others in `PATH`, then in Debian's directories.
 */
const search = (environment: Readonly<Record<string, string | undefined>>): Partial<Programs> => {
  const own = (environment.PATH ?? "").split(path.delimiter)
  const tools = environment.PG_TOOLS === undefined ? binDirectories() : [environment.PG_TOOLS]
  const places = (program: Program): ReadonlyArray<string> =>
    packageOf[program] === "postgresql" ? [...tools.slice(0, 1), ...own] : [...own, "/usr/sbin", "/usr/bin"]
  return Object.fromEntries(
    Object.keys(packageOf).flatMap((name) => {
      const program = name as Program
      const found = places(program)
        .map((directory) => path.join(directory, program))
        .find(isExecutable)
      return found === undefined ? [] : [[program, found]]
    })
  )
}

const isWhole = (found: Partial<Programs>): found is Programs =>
  Object.keys(packageOf).every((program) => found[program as Program] !== undefined)

/** Returns the programs' paths, or a message that names the packages to install. */
export const findPrograms = (
  environment: Readonly<Record<string, string | undefined>>
): Programs | { readonly missing: string } => {
  const found = search(environment)
  if (isWhole(found)) return found
  const missing = Object.keys(packageOf).filter((program) => found[program as Program] === undefined)
  const packages = [...new Set(missing.map((program) => packageOf[program as Program]))].sort()
  return {
    missing:
      `Not installed: ${missing.join(", ")}. ` +
      `On Debian: apt-get install --no-install-recommends ${packages.join(" ")}`
  }
}

const versionOf = (program: string, argument: string): string =>
  /\d+\.\d[\d.]*/.exec(spawnSync(program, [argument], { encoding: "utf8" }).stdout)?.[0] ?? "unknown"

export const versionsOf = ({
  etcd,
  haproxy,
  patroni,
  pgbouncer,
  postgres
}: Programs): Readonly<Record<string, string>> => ({
  PostgreSQL: versionOf(postgres, "--version"),
  Patroni: versionOf(patroni, "--version"),
  etcd: versionOf(etcd, "--version"),
  PgBouncer: versionOf(pgbouncer, "--version"),
  HAProxy: versionOf(haproxy, "-v")
})
