import { assert, describe, it } from "@effect/vitest"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { Effect } from "effect"
import * as Scene from "./support/Scene.js"
import { formsIn, visitor } from "./support/Visitor.js"
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

describe("A form whose change is already so", () => {
  it.live("records no action: a disabled endpoint is disabled, and nothing is recovered", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const { endpoint, merchant } = yield* scene.run(Scene.seed("LIVE", "Kemi Fabrics"))
      const browser = visitor(scene.handler)
      yield* Effect.promise(() => browser.signIn("admin"))
      const path = `/console/live/endpoints/${endpoint.id}`
      const page = yield* Effect.promise(() => browser.get(path))
      const [recover] = formsIn(path, page.text).filter(({ fields }) => fields.form === "recover")
      const nothing = yield* Effect.promise(() => browser.post(path, { ...recover?.fields, reason }))
      assert.strictEqual(nothing.status, 422)
      assert.include(nothing.text, "nothing was queued")
      const disabling = yield* Effect.promise(() => browser.get(`${path}/disable`))
      const [disable] = formsIn(path, disabling.text).filter(({ fields }) => fields.form === "disable")
      yield* scene.run(
        Effect.flatMap(WebhookEndpoints, (all) => all.update(merchant.id, endpoint.id, { status: "DISABLED" }))
      )
      const done = yield* Effect.promise(() => browser.post(`${path}/disable`, { ...disable?.fields, reason }))
      assert.strictEqual(done.status, 303)
      const log = yield* Effect.promise(() => browser.get(`/console/live/audit?record=${endpoint.id}`))
      assert.notMatch(log.text, /href="[^"]*\/console\/live\/audit\/[^"]+"/u)
    }).pipe(Effect.scoped)
  )
})
