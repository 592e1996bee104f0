import { assert, describe, it } from "@effect/vitest"
import * as Console from "@surety/console/Console"
import { VerificationId } from "@surety/core/Ids"
import { Overview } from "@surety/core/overview/Overview"
import type { StuckVerification } from "@surety/core/overview/OverviewLog"
import { Context, DateTime, Effect, Layer, Logger } from "effect"
import * as Scene from "./support/Scene.js"
import { visitor } from "./support/Visitor.js"

describe("Stuck verifications", () => {
  it.live("stand above the list, wherever they are in it, and are a file", () =>
    Effect.gen(function* () {
      const { context, run } = yield* Scene.make()
      const { consumer, merchant } = yield* run(Scene.seed("LIVE", "Kemi Fabrics"))
      const now = yield* DateTime.now
      const one: StuckVerification = {
        verificationId: VerificationId.fromUuid("0193f3a0-0000-7000-8000-000000000001"),
        merchantId: merchant.id,
        serviceId: consumer.serviceId,
        kind: "bvn",
        provider: "=prembly",
        createdAt: DateTime.subtract(now, { hours: 3 })
      }
      const overview = Context.get(context, Overview)
      const services = Context.add(
        context,
        Overview,
        Overview.of({
          ...overview,
          stuckVerifications: (environment) => Effect.succeed(environment === "LIVE" ? [one] : [])
        })
      )
      const { dispose, handle } = Console.webHandler(
        Layer.mergeAll(Scene.settings(), Layer.succeedContext(services), Logger.layer([]))
      )
      yield* Effect.addFinalizer(() => Effect.promise(dispose))
      const support = visitor(handle)
      const viewer = visitor(handle)
      yield* Effect.promise(async () => {
        await support.signIn("support")
        await viewer.signIn("viewer")
        const page = await support.get("/console/live/verifications")
        assert.include(page.text, `/verifications/${one.verificationId}`)
        assert.include(page.text, "Open for 3 h")
        assert.include(page.text, "Kemi Fabrics")
        assert.notInclude((await support.get("/console/test/verifications")).text, "Open for")
        const file = "/console/live/verifications?format=csv&table=stuck"
        const lines = (await support.get(file)).text.split("\r\n")
        assert.include(lines[1], `${one.verificationId},${merchant.id},${consumer.serviceId},bvn,'=prembly,`)
        assert.strictEqual((await viewer.get(file)).status, 403)
      })
    }).pipe(Effect.scoped)
  )
})
