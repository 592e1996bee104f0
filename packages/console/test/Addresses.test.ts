import { assert, describe, it } from "@effect/vitest"
import * as Console from "@surety/console/Console"
import { NGN } from "@surety/core/Currency"
import { EndpointEvents } from "@surety/core/event/EndpointEvents"
import { EventArchived } from "@surety/core/event/EventArchived"
import { EventLog } from "@surety/core/event/EventLog"
import { PaymentId } from "@surety/core/Ids"
import { Payments } from "@surety/core/payment/Payments"
import { Search } from "@surety/core/search/Search"
import { Context, Effect, Layer, Logger } from "effect"
import * as Scene from "./support/Scene.js"
import { formsIn, visitor } from "./support/Visitor.js"
import { pathOf, reason, recordsIn, stops } from "./support/walking.js"

const main = (text: string): string => text.slice(text.indexOf("<main"))

const rowsIn = (text: string): ReadonlyArray<readonly [name: string, row: string]> =>
  [...main(text).matchAll(/<table[^>]*aria-label="([^"]*)"[\s\S]*?<tbody[^>]*>([\s\S]*?)<\/tbody>/gu)].flatMap(
    ([, name = "", body = ""]) => [...body.matchAll(/<tr[\s\S]*?<\/tr>/gu)].map(([row]) => [name, row] as const)
  )

/** Tables whose rows need no link to a page, with the reason. */
const without: Readonly<Record<string, string>> = {
  Settings: "settings have names, and are on one page",
  "Trial balance": "sums",
  Changes: "parts of one action",
  "Status changes": "parts of one merchant",
  "Refunds of the payment": "the refund whose page it is has no other page",
  Attempts: "parts of one delivery, which the event shows in full",
  Sessions: "one’s own have a form in the row"
}

describe("Every row of a table", () => {
  it.live("leads to its record’s own page, which opens", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const browser = visitor(scene.handler)
      yield* Effect.promise(() => browser.signIn("admin"))
      const opened = new Set<string>()
      let rows = 0
      for (const { name, page, prepare } of stops) {
        const records = yield* recordsIn(scene, "LIVE")
        yield* prepare(records, browser)
        const got = yield* Effect.promise(() => browser.get(pathOf(page, "LIVE", records.params)))
        for (const [table, row] of rowsIn(got.text)) {
          rows += 1
          if (table in without && !row.includes("href=")) continue
          const [, href] = /href="([^"]+)"/u.exec(row) ?? []
          assert.isDefined(href, `${name}: a row of ${table} has no link: ${row}`)
          const address = (href ?? "").replaceAll("&amp;", "&")
          if (opened.has(address)) continue
          opened.add(address)
          const answer = yield* Effect.promise(() => browser.get(address))
          assert.strictEqual(answer.status, 200, `${name}: ${address}`)
        }
      }
      assert.isAbove(rows, 100)
      assert.isAbove(opened.size, 40)
    }).pipe(Effect.scoped)
  )
})

describe("A payment", () => {
  it.live("has a page, regardless of how the host writes its id", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const { merchant, scope } = yield* scene.run(Scene.seed("LIVE", "Kemi Fabrics"))
      const browser = visitor(scene.handler)
      yield* Effect.promise(() => browser.signIn("viewer"))
      const ids = ["2026/10/17", "order 7", "%2F..", "..", "~tilde", "Zoë?#1", "a;b\\c", "plain-1.2_3", "/".repeat(128)]
      for (const id of ids) {
        yield* scene.run(
          Effect.flatMap(Payments, (payments) =>
            payments.record({
              scope,
              id: PaymentId.make(id),
              amount: { currency: NGN, minor: 100n },
              method: "CARD",
              settled: false
            })
          )
        )
      }
      const list = yield* Effect.promise(() => browser.get("/console/live/payments"))
      const hrefs = [...main(list.text).matchAll(/href="([^"]*\/payments\/[^"]*)"/gu)].map(([, href = ""]) => href)
      assert.strictEqual(new Set(hrefs).size, ids.length + 1)
      const titles = new Set<string>()
      for (const href of hrefs) {
        const got = yield* Effect.promise(() => browser.get(href))
        assert.strictEqual(got.status, 200, href)
        titles.add(/<p class="meta"><span class="id">([\s\S]*?)<\/span>/u.exec(got.text)?.[1] ?? "")
      }
      assert.strictEqual(titles.size, ids.length + 1, "each its own")
      // An id that needs no encoding has only its plain path. The path with its encoded form is not found.
      const twice = `/console/live/merchants/${merchant.id}/payments/~${Buffer.from("plain-1.2_3").toString("base64url")}`
      assert.strictEqual((yield* Effect.promise(() => browser.get(twice))).status, 404)
    }).pipe(Effect.scoped)
  )
})

describe("An event of an archived month", () => {
  it.live("is said to be archived, and is not sent", () =>
    Effect.gen(function* () {
      const { context, run } = yield* Scene.make()
      const { endpoint, scope } = yield* run(Scene.seed("LIVE", "Kemi Fabrics"))
      const log = Context.get(context, EventLog)
      const archived = () => Effect.fail(new EventArchived({ month: "2026-03" }))
      const { data } = yield* run(log.list(scope, { limit: 1, cursor: undefined }))
      const id = data[0]?.id ?? assert.fail("there is one")
      // Search result while `isArchived` is true: the event's row is missing, so the search does not find it.
      const nowhere = { _tag: "Found", groups: [], elsewhere: 0 } as const
      const search = Context.get(context, Search)
      let isArchived = false
      const services = context.pipe(
        Context.add(EventLog, EventLog.of({ ...log, find: (...of) => (isArchived ? archived() : log.find(...of)) })),
        Context.add(EndpointEvents, EndpointEvents.of({ ...Context.get(context, EndpointEvents), recover: archived })),
        Context.add(Search, Search.of({ find: (...of) => (isArchived ? Effect.succeed(nowhere) : search.find(...of)) }))
      )
      const { dispose, handle } = Console.webHandler(
        Layer.mergeAll(Scene.settings(), Layer.succeedContext(services), Logger.layer([]))
      )
      const browser = visitor(handle)
      yield* Effect.promise(async () => {
        await browser.signIn("support")
        const path = `/console/live/events/${id}`
        const [form] = formsIn(path, (await browser.get(path)).text).filter(({ fields }) => fields.form === "resend")
        isArchived = true
        const got = await browser.get(path)
        assert.strictEqual(got.status, 200)
        assert.include(got.text, "Events of 2026-03 are in the archive")
        const sent = await browser.post(path, { ...form?.fields, reason })
        assert.strictEqual(sent.status, 422)
        isArchived = false
        const health = `/console/live/endpoints/${endpoint.id}`
        const found = formsIn(health, (await browser.get(health)).text).find(({ fields }) => fields.form === "recover")
        const recovered = await browser.post(health, { ...found?.fields, reason })
        assert.strictEqual(recovered.status, 422)
        assert.include(recovered.text, "Events of 2026-03")
        await dispose()
      })
    }).pipe(Effect.scoped)
  )
})
