import { readFileSync } from "node:fs"
import path from "node:path"
import { packageDirectory } from "../Installed.js"

/** A block of code of the README. */
export interface Block {
  readonly language: string
  readonly code: string
}

const readme = readFileSync(path.join(packageDirectory, "README.md"), "utf8")

/** Every block, from the top. */
const blocks: ReadonlyArray<Block> = Array.from(
  readme.matchAll(/^```(?<language>\w+)\n(?<code>.*?)^```$/gmsu),
  ({ groups }) => ({ language: groups?.language ?? "", code: groups?.code ?? "" })
)

const used = new Set<Block>()

/** The blocks that were not used yet. */
export const unusedBlocks = (): ReadonlyArray<Block> => blocks.filter((block) => !used.has(block))

/** The only block that contains this text. Throws if none or several do. */
export const blockWith = (part: string): Block => {
  const [block, ...others] = blocks.filter(({ code }) => code.includes(part))
  if (block === undefined || others.length > 0) {
    throw new Error(`${others.length + (block === undefined ? 0 : 1)} blocks of the README have ${part}`)
  }
  used.add(block)
  return block
}
