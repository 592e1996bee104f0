import { assert, describe, it } from "@effect/vitest"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { Effect } from "effect"
import * as Scene from "./support/Scene.js"
import { visitor } from "./support/Visitor.js"
import { reason } from "./support/walking.js"

describe("An action's changes", () => {
  it.live("tell a value that was taken away from one that is not kept, on the page and in the file", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const { endpoint, merchant } = yield* scene.run(Scene.seed("LIVE", "Kemi Fabrics"))
      const browser = visitor(scene.handler)
      yield* Effect.promise(() => browser.signIn("admin"))
      yield* scene.run(
        Effect.flatMap(OperatorActions, (actions) =>
          actions.record("ada", Effect.void, () => ({
            kind: "endpoint.changed",
            target: endpoint.id,
            environment: "LIVE",
            merchantId: merchant.id,
            reason,
            changes: [{ field: "url" }, { field: "description", from: "till 3", to: null }]
          }))
        )
      )
      const log = yield* Effect.promise(() => browser.get("/console/live/audit?kind=endpoint.changed"))
      const [, path = assert.fail("the action is listed")] =
        /href="[^"]*(\/console\/live\/audit\/[^"]+)"/u.exec(log.text) ?? []
      const page = yield* Effect.promise(() => browser.get(path))
      assert.match(page.text, /not kept.*till 3.*nothing/su)
      const file = yield* Effect.promise(() => browser.get(`${path}?table=changes&format=csv`))
      assert.deepStrictEqual(file.text.trim().split("\r\n").slice(1), ["url,,not kept", "description,till 3,"])
    }).pipe(Effect.scoped)
  )
})
