import { readFileSync } from "node:fs"

/** Replacements of a page's example values, in order. */
export type PageValues = Readonly<Record<string, string>>

/** Returns the lines of a page's `sh` blocks, with continued lines joined and `values` filled in. */
export const shellLines = (page: string, values: PageValues = {}): ReadonlyArray<string> => {
  const text = readFileSync(new URL(`../../../../docs/platform/${page}`, import.meta.url), "utf8")
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
    .flatMap(([, block = ""]) => block.replaceAll("\\\n", " ").trim().split("\n"))
    .map((line) => Object.entries(values).reduce((filled, [from, to]) => filled.replaceAll(from, to), line))
}

/** Splits a line into its words. Double quotes hold a word together. */
export const wordsOf = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "")
