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

/** Debian's, the newest first. */
const versions = (): ReadonlyArray<string> => {
  try {
    return readdirSync(installed).toSorted((one, other) => Number(other) - Number(one))
  } catch {
    return []
  }
}

const find = (named: string | undefined, searchPath: string | undefined): string | undefined => {
  const candidates = [
    ...versions().map((version) => path.join(installed, version, "bin")),
    ...(searchPath ?? "").split(path.delimiter)
  ]
  return (named === undefined ? candidates : [named]).find(hasAll)
}

/** What to do if there is none. */
export const absent =
  "There is no PostgreSQL with pg_dump and pg_restore on this machine: install it (Debian: apt-get install postgresql) " +
  "or set PG_TOOLS to the directory of its programs"

/**
 * The directory of a whole PostgreSQL on this machine, server and tools of one version: the one that `PG_TOOLS` names, else
 * the newest that is installed. The npm binaries lack the tools. With `CI` set a missing one throws; elsewhere the run
 * says what it leaves out.
 */
export const findOrSay = (environment: Readonly<Record<string, string | undefined>>): string | undefined => {
  const found = find(environment.PG_TOOLS, environment.PATH)
  if (found === undefined && environment.CI) throw new Error(absent)
  if (found === undefined) process.stderr.write(`\nNOT TESTED: backup and restore. ${absent}\n`)
  return found
}
