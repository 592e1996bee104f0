import { readFileSync } from "node:fs"
import path from "node:path"
import { packageDirectory } from "../Installed.js"

export interface Block {
  readonly language: string
  readonly code: string
}

const readme = readFileSync(path.join(packageDirectory, "README.md"), "utf8")

const blocks: ReadonlyArray<Block> = Array.from(
  readme.matchAll(/^```(?<language>\w+)\n(?<code>.*?)^```$/gmsu),
  ({ groups }) => ({ language: groups?.language ?? "", code: groups?.code ?? "" })
)

const used = new Set<Block>()

export const unusedBlocks = (): ReadonlyArray<Block> => blocks.filter((block) => !used.has(block))

/** Returns the only block that contains `part`, and marks it as used. Throws unless exactly one block contains it. */
export const blockWith = (part: string): Block => {
  const [block, ...others] = blocks.filter(({ code }) => code.includes(part))
  if (block === undefined || others.length > 0) {
    throw new Error(`${others.length + (block === undefined ? 0 : 1)} blocks of the README have ${part}`)
  }
  used.add(block)
  return block
}
