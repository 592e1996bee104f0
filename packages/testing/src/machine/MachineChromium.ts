import { accessSync, constants } from "node:fs"
import path from "node:path"

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
const others = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"]

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const onPath = (programs: ReadonlyArray<string>, searchPath: string | undefined): ReadonlyArray<string> => {
  const directories = (searchPath ?? "").split(path.delimiter)
  return programs.flatMap((name) => directories.map((directory) => path.join(directory, name)))
}

const search = (named: string | undefined, searchPath: string | undefined): string | undefined =>
  (named === undefined ? [...onPath(names, searchPath), ...others] : [named]).find(isExecutable)

const absent =
  "There is no Chromium on this machine. Install it (Debian: apt-get install chromium), set CHROMIUM_PATH, or leave its " +
  "tests out with SKIP_BROWSER=1"

/**
 * Returns the executable at `CHROMIUM_PATH`, or an installed Chromium or Chrome if the variable is not set. Throws if
 * no such file is executable.
 */
export const find = (environment: Readonly<Record<string, string | undefined>>): string => {
  const found = search(environment.CHROMIUM_PATH, environment.PATH)
  if (found === undefined) throw new Error(absent)
  return found
}

/**
 * Returns an installed Chromium headless shell, which renders the same pages faster. Returns `find`'s result if the
 * shell is missing or `CHROMIUM_PATH` is set.
 */
export const findShell = (environment: Readonly<Record<string, string | undefined>>): string =>
  (environment.CHROMIUM_PATH === undefined
    ? onPath(["chromium-headless-shell"], environment.PATH).find(isExecutable)
    : undefined) ?? find(environment)
