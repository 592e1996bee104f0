import { readFileSync } from "node:fs"
import path from "node:path"

/** Root directory of the workspace. */
export const root = path.resolve(import.meta.dirname, "../../../..")

/** A code block in a Markdown page. `words` follow the language and say how to test the block. */
export interface Fence {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly words: ReadonlyArray<string>
  readonly code: string
}

export const placeOf = ({ line, page }: Fence): string => `${page}:${line}`

const opening = /^(?<indent> *)```(?<info>.*)$/u

export const textOf = (page: string): string => readFileSync(path.join(root, page), "utf8")

/** Returns a page's code blocks in order, including those indented in a list. Throws if a block is not closed. */
export const fencesIn = (page: string, text: string): ReadonlyArray<Fence> => {
  const lines = text.split("\n")
  const fences: Array<Fence> = []
  for (let index = 0; index < lines.length; index += 1) {
    const { indent = "", info } = opening.exec(lines[index] ?? "")?.groups ?? {}
    if (info === undefined) continue
    const end = lines.findIndex((line, at) => at > index && line.trim() === "```")
    if (end < 0) throw new Error(`${page}:${index + 1}: the block does not end`)
    const [language = "", ...words] = info.trim().split(/\s+/)
    const code = lines
      .slice(index + 1, end)
      .map((line) => `${line.slice(indent.length)}\n`)
      .join("")
    fences.push({ page, line: index + 1, language, words, code })
    index = end
  }
  return fences
}
