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

/** The Chromium of this machine, among those that are named or installed; `undefined` where there is none. */
export const find = (named: string | undefined, searchPath: string | undefined): string | undefined => {
  const directories = (searchPath ?? "").split(path.delimiter)
  const candidates = names.flatMap((name) => directories.map((directory) => path.join(directory, name)))
  return (named === undefined ? [...candidates, ...others] : [named]).find(isExecutable)
}
