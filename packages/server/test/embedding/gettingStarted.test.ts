import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { freePort } from "@surety/testing/machine/FreePort"
import { Effect } from "effect"
import { placeOf, root } from "../docs/Fence.js"
import { followPage } from "../docs/followPage.js"
import { makeShell } from "../docs/Shell.js"
import { steadyJson, steadyText } from "../docs/Shown.js"

const patience = 400_000

it.live(
  "an empty Express app comes to a refunded test payment by what the page says, from its top to its end",
  () =>
    Effect.gen(function* () {
      const directory = mkdtempSync(path.join(tmpdir(), "surety-start-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true, force: true })))
      // Mimics `npm install` by linking the package built here and the workspace's copy of Express.
      for (const name of ["@surety/embed", "express"]) {
        const link = path.join(directory, "node_modules", name)
        mkdirSync(path.dirname(link), { recursive: true })
        symlinkSync(path.join(root, "packages/server/node_modules", name), link)
      }
      const port = String(yield* Effect.promise(freePort))
      const shell = makeShell(directory, {
        arrive: (text) => text.replaceAll(/\b3000\b/g, port),
        show: (text) => text.replaceAll(port, "3000")
      })
      const shown: Array<string> = []
      yield* followPage("docs/embedding/getting-started.md", shell, ({ fence, printed }) => {
        const steady = fence.language === "json" ? steadyJson : steadyText
        assert.deepStrictEqual(steady(printed), steady(fence.code), placeOf(fence))
        shown.push(fence.code.trim())
      })
      assert.include(shown, "COMPLETED")
      assert.lengthOf(shown, 6)
    }).pipe(Effect.scoped),
  patience
)
