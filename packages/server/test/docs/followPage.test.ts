import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { type Comparison, followPage } from "./followPage.js"
import { makeShell } from "./Shell.js"
import { steadyJson, steadyText } from "./Shown.js"

const same = { arrive: (text: string) => text, show: (text: string) => text }

/** Follows a page made of these blocks, each `[info string, code]`. */
const follow = (...blocks: ReadonlyArray<readonly [string, string]>) =>
  Effect.gen(function* () {
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(path.join(tmpdir(), "surety-page-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    const comparisons: Array<Comparison> = []
    const page = blocks.map(([info, code]) => `\`\`\`${info}\n${code}\n\`\`\`\n`).join("\n")
    yield* followPage("page.md", makeShell(directory, same), (comparison) => comparisons.push(comparison), page)
    return comparisons.map(({ fence, printed }) => [fence.code, printed])
  }).pipe(Effect.scoped)

const defectOf = (...blocks: ReadonlyArray<readonly [string, string]>) =>
  Effect.map(Effect.exit(follow(...blocks)), (exit) => (Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""))

describe("Following a page", () => {
  it.live("runs its commands in order, with the variables and functions set before", () =>
    Effect.gen(function* () {
      const shown = yield* follow(
        ["sh run", "NAME=Ada"],
        ["sh run", 'greet() { echo "Hello $1"; }'],
        ["text file name.txt", "Obi"],
        ["sh run", 'greet "$NAME $(cat name.txt)"'],
        ["text answer", "Hello Ada Obi"]
      )
      assert.deepStrictEqual(shown, [["Hello Ada Obi\n", "Hello Ada Obi\n"]])
    })
  )

  it.live("reads what a started program prints, which knows only what it is given", () =>
    Effect.gen(function* () {
      const shown = yield* follow(
        ["sh run", "NAME=Ada OTHER=Obi"],
        ["sh start echoes", "NAME=$NAME sh -c 'echo $NAME, $OTHER; sleep 60'"],
        ["text prints echoes", "Ada,"]
      )
      assert.deepStrictEqual(shown, [["Ada,\n", "Ada,"]])
    })
  )

  it.live.each([
    { fault: "says nothing of its test", blocks: [["sh", "true"]], told: "page.md:1: nothing says how this block" },
    { fault: "has a word too many", blocks: [["sh run twice", "true"]], told: "page.md:1: nothing says how" },
    { fault: "fails", blocks: [["sh run", "grep nothing /dev/null"]], told: "exit code 1" },
    { fault: "fails before its end", blocks: [["sh run", "false\ntrue"]], told: "exit code 1" },
    { fault: "prints what is not shown", blocks: [["sh run", "echo Ada"]], told: "page.md:1: what the block printed" },
    {
      fault: "shows what nothing printed",
      blocks: [
        ["sh run", "true"],
        ["text answer", "Ada"]
      ],
      told: "page.md:5: nothing was printed"
    },
    {
      fault: "shows what a program printed that ended before",
      blocks: [
        ["sh run", "true"],
        ["sh start ended", "true"],
        ["text prints ended", "Ada"]
      ],
      told: "it ended"
    }
  ] as const)("fails at a block that $fault", ({ blocks, told }) =>
    Effect.map(defectOf(...blocks), (defect) => assert.include(defect, told))
  )
})

describe("What a page shows", () => {
  it("may have other ids, times and secrets, of the same kinds", () => {
    const shown = `{"id":"refund_01m7ztx9ebfq2rjmn4b6w7mskn","at":"2026-03-01T09:30:00.000Z","secret":"sk_test_…"}`
    const printed = `{"id":"refund_01m7ztxb5bebjs0qav82g2xwss","at":"2026-11-21T19:56:38.220Z","secret":"sk_test_sKWMD44OF2RLyfSRETOQdNsdyPzT7R9lH3CaYOEUAcF2ZxkUx"}`
    assert.deepStrictEqual(steadyJson(printed), steadyJson(shown))
  })

  it.each([
    [`{"id":"payment_01m7ztx9ebfq2rjmn4b6w7mskn"}`, `{"id":"refund_01m7ztx9ebfq2rjmn4b6w7mskn"}`],
    [`{"secret":"sk_live_…"}`, `{"secret":"sk_test_…"}`],
    [`{"amount":1000}`, `{"amount":1000.5}`],
    [`{"amount":1000}`, `{"amount":"1000"}`],
    [`{"status":"COMPLETED"}`, `{"status":"COMPLETED","reason":"Returned"}`],
    [`{"data":[1,2]}`, `{"data":[1]}`]
  ])("is not %s for %s", (shown, printed) => {
    assert.notDeepEqual(steadyJson(printed), steadyJson(shown))
  })

  it("of plain text is the same but for its end", () => {
    assert.strictEqual(steadyText("204\n"), steadyText("204"))
    assert.notStrictEqual(steadyText("204"), steadyText("404"))
  })
})
