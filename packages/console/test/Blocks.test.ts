import { assert, describe, it } from "@effect/vitest"
import { AskingBlocks } from "@surety/core/consent/asking/AskingBlocks"
import { Effect } from "effect"
import * as Scene from "./support/Scene.js"
import { formsIn, visitor } from "./support/Visitor.js"
import { pathOf, reason, recordsIn, standing } from "./support/walking.js"

describe("The page that lifts a block", () => {
  it.live("lifts the block that it has shown, and none that has replaced it", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const records = yield* recordsIn(scene, "LIVE")
      const blocks = Effect.flatMap(AskingBlocks, (all) => all.list(records.scope, { limit: 10, cursor: undefined }))
      const path = pathOf({ path: "merchants/:merchantId/blocks/:consumerId" }, "LIVE", records.params)
      const browser = visitor(scene.handler)
      const fields: Readonly<Record<string, string>> = yield* Effect.promise(async () => {
        await browser.signIn("admin")
        const [form] = formsIn(path, (await browser.get(path)).text).filter((found) => found.fields.form === "lift")
        return { ...form?.fields, reason }
      })
      assert.strictEqual(fields.block, "NOT_ME")
      const stale = yield* Effect.promise(() => browser.post(path, { ...fields, block: "STOP_ASKING" }))
      assert.include(stale.text, "The block has changed.")
      assert.lengthOf((yield* scene.run(blocks)).data, 1)
      yield* Effect.promise(() => browser.post(path, fields))
      assert.lengthOf((yield* scene.run(blocks)).data, 0)
      const [lifted] = (yield* standing(records)).actions
      assert.deepStrictEqual(lifted?.changes, [{ field: "block", from: "NOT_ME" }])
    }).pipe(Effect.scoped)
  )
})
