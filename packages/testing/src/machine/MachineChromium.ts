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

const find = (named: string | undefined, searchPath: string | undefined): string | undefined => {
  const directories = (searchPath ?? "").split(path.delimiter)
  const candidates = names.flatMap((name) => directories.map((directory) => path.join(directory, name)))
  return (named === undefined ? [...candidates, ...others] : [named]).find(isExecutable)
}

/** What to do where there is none. */
export const absent =
  "There is no Chromium on this machine: install it (Debian: apt-get install chromium) or set CHROMIUM_PATH"

/**
 * The Chromium of this machine: the one that `CHROMIUM_PATH` names, else Debian's or another that is installed. Where
 * everything is to be checked a missing browser is a failure; elsewhere the run says what it leaves out.
 */
export const findOrSay = (environment: Readonly<Record<string, string | undefined>>): string | undefined => {
  const found = find(environment.CHROMIUM_PATH, environment.PATH)
  if (found === undefined && environment.CI) throw new Error(absent)
  if (found === undefined) process.stderr.write(`\nNOT TESTED in a browser. ${absent}\n`)
  return found
}
