import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Fence, fencesIn, placeOf, textOf } from "./Fence.js"
import { makePrograms } from "./Programs.js"

const patience = 400_000

const packages = ["core", "postgres", "http", "webhooks", "testing"]

interface Example {
  readonly file: string
  readonly fence: Fence
  /** Output that the page shows. Undefined if the program is only compiled. */
  readonly prints: string | undefined
}

/**
 * Returns a README's programs. A `ts program` is run, and the next block must be a `text prints` with its output. A
 * `ts compiles` is only type-checked. Throws on any other block.
 */
const examplesOf = (name: string): ReadonlyArray<Example> => {
  const page = `packages/${name}/README.md`
  const fences = fencesIn(page, textOf(page))
  return fences.flatMap((fence, index): ReadonlyArray<Example> => {
    const said = [fence.language, ...fence.words].join(" ")
    const next = fences[index + 1]
    const file = `${name}-${fence.line}.mts`
    if (said === "ts compiles") return [{ file, fence, prints: undefined }]
    if (said === "ts program" && next?.words[0] === "prints") return [{ file, fence, prints: next.code }]
    if (said === "text prints" && fences[index - 1]?.words[0] === "program") return []
    throw new Error(`${placeOf(fence)}: nothing says how this block is tested: ${said}`)
  })
}

describe("The packages' READMEs", () => {
  it.live(
    "show programs that compile, and print what they say",
    () =>
      Effect.gen(function* () {
        const programs = yield* makePrograms
        const examples = packages.map(examplesOf)
        for (const own of examples) assert.isAtLeast(own.length, 1)
        yield* Effect.forEach(examples.flat(), ({ fence, file }) => programs.write(file, fence.code))
        assert.strictEqual(yield* programs.typeErrors, "")
        for (const { fence, file, prints } of examples.flat()) {
          if (prints !== undefined) assert.strictEqual(yield* programs.run(file), prints, placeOf(fence))
        }
      }).pipe(Effect.scoped),
    patience
  )
})
