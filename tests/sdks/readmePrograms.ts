import { readFileSync } from "node:fs"
import path from "node:path"
import { root } from "./Toolchain.ts"

/** A README block that tests run, with its documented output. */
export interface Program {
  readonly line: number
  readonly code: string
  readonly prints: string
}

/**
 * Returns the blocks in a README that are marked `run`. Each must be followed by a block marked `prints`. Skips `sh`
 * blocks and throws on any other block.
 */
export const readmePrograms = (file: string, language: string): ReadonlyArray<Program> => {
  const text = readFileSync(path.join(root, file), "utf8")
  const blocks = [...text.matchAll(/^```(?<info>[^\n]*)\n(?<code>.*?)^```$/gms)].map((match) => ({
    info: match.groups?.info ?? "",
    code: match.groups?.code ?? "",
    line: text.slice(0, match.index).split("\n").length
  }))
  return blocks.flatMap(({ code, info, line }, index) => {
    if (info === "sh") return []
    if (info === "text prints" && blocks[index - 1]?.info === `${language} run`) return []
    const next = blocks[index + 1]
    if (info === `${language} run` && next?.info === "text prints") return [{ line, code, prints: next.code }]
    throw new Error(`${file}:${line}: nothing says how this block is tested: ${info}`)
  })
}
