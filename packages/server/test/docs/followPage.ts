import { Effect } from "effect"
import { type Fence, placeOf, textOf } from "./Fence.js"
import type { Shell, Started } from "./Shell.js"
import { stepsIn } from "./Step.js"

/** The output that a page shows, and the actual output. */
export interface Comparison {
  readonly fence: Fence
  readonly printed: string
}

const unchecked = (fence: Fence, printed: string): Error =>
  new Error(`${placeOf(fence)}: what the block printed is not shown\n${printed}`)

/**
 * Follows a page from the top, as its reader would. Calls `compare` for each output on the page. Dies if a block fails,
 * or if no answer follows the output of a `run` block. Also dies if an answer has no output to compare.
 */
export const followPage = Effect.fn("followPage")(function* (
  page: string,
  shell: Shell,
  compare: (comparison: Comparison) => void,
  text: string = textOf(page)
) {
  const started = new Map<string, Started>()
  let last: Comparison | undefined
  for (const step of stepsIn(page, text)) {
    const { code } = step.fence
    if (step.kind !== "answer" && last !== undefined) return yield* Effect.die(unchecked(last.fence, last.printed))
    switch (step.kind) {
      case "run": {
        const printed = yield* shell.run(code)
        last = printed === "" ? undefined : { fence: step.fence, printed }
        break
      }
      case "answer":
        if (last === undefined) return yield* Effect.die(new Error(`${placeOf(step.fence)}: nothing was printed`))
        compare({ fence: step.fence, printed: last.printed })
        last = undefined
        break
      case "file":
        yield* shell.write(step.name, code)
        break
      case "start":
        started.set(step.name, yield* shell.start(code.trim().replace(/^(?=[A-Z_]+=)/u, "env ")))
        break
      case "prints": {
        const program = started.get(step.name)
        if (program === undefined)
          return yield* Effect.die(new Error(`${placeOf(step.fence)}: ${step.name} is not started`))
        compare({ fence: step.fence, printed: yield* program.nextLines(code.trimEnd().split("\n").length) })
        break
      }
      case "install":
        break
    }
  }
  if (last !== undefined) return yield* Effect.die(unchecked(last.fence, last.printed))
})
