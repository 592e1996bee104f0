import { assert, describe, it } from "@effect/vitest"
import { NGN } from "@surety/core/Currency"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { PersonStore } from "@surety/core/person/PersonStore"
import { RightsRequests } from "@surety/core/person/RightsRequests"
import { HostRefunds } from "@surety/core/refund/HostRefunds"
import { Refunds } from "@surety/core/refund/Refunds"
import { WalletUnavailable } from "@surety/core/refund/Wallet"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import { freePort } from "@surety/testing/machine/FreePort"
import { DateTime, Effect, Option } from "effect"
import type { Page } from "playwright-core"
import * as Chromium from "../../consent-page/test/support/Chromium.js"
import * as Scene from "./support/Scene.js"
import { served } from "./support/Served.js"
import { recordsIn } from "./support/walking.js"

const browserOfFile = Chromium.browserOfFile()

const signIn = async (page: Page, publicUrl: string, name: string) => {
  await page.goto(`${publicUrl}/console`)
  await page.fill("#name", name)
  await page.fill("#token", Scene.tokenOf(name))
  await page.click("main button")
  await page.waitForURL("**/live/overview")
}

const room = (page: Page, name: string) => page.locator("#rooms a", { hasText: name }).click()

const send = async (page: Page, panel: string, done: string) => {
  const form = page.locator(`section[aria-label="${panel}"] form`)
  await form.locator("textarea").fill("Found on the overview this morning")
  await form.locator("button").click()
  await page.locator("p[role=status]", { hasText: done }).waitFor()
}

describe("An incident", () => {
  it.live("is found, understood and fixed by operators in the console alone", () =>
    Effect.gen(function* () {
      const publicUrl = `http://127.0.0.1:${yield* Effect.promise(freePort)}`
      let isWalletUp = true
      const scene = yield* Scene.make(
        { byToken: true },
        { publicUrl, basePath: "" },
        {
          credit: () =>
            isWalletUp ? Effect.succeed({ _tag: "Credited" }) : Effect.fail(new WalletUnavailable({ cause: "down" }))
        }
      )
      const { consumer, endpoint, payment, scope } = yield* scene.run(Scene.seed("LIVE", "Kemi Fabrics"))
      isWalletUp = false
      const unknown = yield* scene.run(
        Effect.flip(
          Effect.flatMap(Refunds, (refunds) =>
            refunds.create(scope, IdempotencyKey.make("during-the-outage"), {
              paymentId: payment.id,
              reference: undefined,
              currency: NGN,
              amountMinor: 50_000n,
              reason: "Torn seam",
              merchantReference: undefined,
              items: undefined
            })
          )
        )
      )
      assert.strictEqual(unknown._tag, "RefundOutcomeUnknown")
      yield* scene.run(
        Effect.flatMap(RightsRequests, (rights) =>
          rights.record({ environment: "LIVE", serviceId: consumer.serviceId, kind: "ERASE" })
        )
      )
      /** Settles the due deliveries as if the receiver had responded with `responseStatus`. Returns their number. */
      const receives = (responseStatus: number) =>
        scene.run(
          Effect.gen(function* () {
            const now = yield* DateTime.now
            const queue = yield* DeliveryQueue
            const all = yield* FreshEvent.claim(now)
            for (const due of all) {
              const attempt = { ...FreshEvent.attemptOf(due, now), responseStatus, responseBody: "not in the mood" }
              yield* queue.settle(due, attempt, { _tag: responseStatus < 300 ? "Delivered" : "GiveUp" })
            }
            return all.length
          })
        )
      assert.isAbove(yield* receives(503), 0)
      yield* served(scene.handler, publicUrl)
      const browser = yield* browserOfFile
      const wide = { viewport: { width: 1280, height: 800 } }

      // The endpoint fails. From the overview, the operator finds the cause and makes the missed deliveries due again.
      yield* Chromium.inWindow(
        browser,
        async (page) => {
          await signIn(page, publicUrl, "support")
          const todo = page.locator('[class~="todo"] li', { hasText: "Endpoints are failing" })
          await todo.locator("a").click()
          assert.strictEqual(await page.locator("table .k a").count(), 1)
          await page.locator("table .k a").click()
          assert.include(await Chromium.textOf(page, "h1"), "hooks.corner.example")
          assert.match(await Chromium.textOf(page, ".head .pill"), /^Failing/u)
          assert.include(await Chromium.textOf(page, "section[aria-label='Latest attempts']"), "503")
          assert.include(await Chromium.textOf(page, "section[aria-label='Latest attempts']"), "not in the mood")
          await send(page, "Recover", "queued again")
        },
        wide
      )
      assert.isAbove(yield* receives(200), 0)
      yield* Chromium.inWindow(
        browser,
        async (page) => {
          await signIn(page, publicUrl, "support")
          assert.strictEqual(await page.locator('[class~="todo"] li', { hasText: "Endpoints are failing" }).count(), 0)
          await page.goto(`${publicUrl}/console/live/endpoints/${endpoint.id}`)
          assert.strictEqual(await Chromium.textOf(page, ".head .pill"), "Enabled")

          await room(page, "Refunds")
          await page.selectOption("select[name=status]", "PENDING")
          await page.click("form.filters button")
          await page.locator("table .k a").first().click()
          assert.include(await Chromium.textOf(page, ".tl"), "Waiting for the wallet’s answer")

          // The operator mistypes the person's identifier, then proposes the erasure.
          await room(page, "Overview")
          await page.locator('[class~="todo"] li', { hasText: "Rights requests are open" }).locator("a").click()
          await page.locator("table .k a", { hasText: "Deletion" }).click()
          await page.locator(".acts a", { hasText: "Erase" }).click()
          await page.fill("#erase-serviceId", consumer.serviceId.toLowerCase())
          await page.fill("#erase-reason", "Asked for on their page")
          await page.locator("main form button").click()
          assert.include(await Chromium.textOf(page, "[role=alert]"), consumer.serviceId)
          assert.strictEqual(await page.inputValue("#erase-reason"), "Asked for on their page")
          await page.fill("#erase-serviceId", consumer.serviceId)
          await page.locator("main form button").click()
          await page.locator("p[role=status]", { hasText: "it waits here" }).waitFor()
          assert.strictEqual(await Chromium.textOf(page, ".head .pill"), "Waiting for a second operator")
          // The rights request also says that an erasure is proposed, to prevent a second proposal.
          await room(page, "Rights requests")
          await page.locator("table .k a", { hasText: "Deletion" }).click()
          await page.locator(".note a", { hasText: "Open the proposal" }).click()
          await page.waitForURL("**/approvals/proposal_*")
        },
        wide
      )
      isWalletUp = true
      const finished = yield* scene.run(
        Effect.flatMap(HostRefunds, (refunds) =>
          Effect.flatMap(DateTime.now, (now) => refunds.recover(DateTime.add(now, { minutes: 1 })))
        )
      )
      assert.strictEqual(finished, 1)
      yield* Chromium.inWindow(
        browser,
        async (page) => {
          await signIn(page, publicUrl, "ngozi.eze")
          await room(page, "Refunds")
          await page.locator("table .k a").first().click()
          assert.strictEqual(await Chromium.textOf(page, ".head .pill"), "Completed")

          await room(page, "Approvals")
          await page.locator("table .k a").first().click()
          await page.fill("#approveErasure-serviceId", consumer.serviceId)
          await send(page, "Approve", "erased")
          await room(page, "Rights requests")
          assert.include(await Chromium.textOf(page, "main"), "No open requests")
          await room(page, "Audit log")
          const log = await Chromium.textOf(page, "table[aria-label=Actions]")
          for (const words of ["Person erased", "Proposal made", "Endpoint recovered", "support", "ngozi.eze"]) {
            assert.include(log, words)
          }
        },
        wide
      )
      const person = yield* scene.run(Effect.flatMap(PersonStore, (people) => people.find("LIVE", consumer.serviceId)))
      assert.isDefined(Option.getOrThrow(person).erasedAt)
    }).pipe(Effect.scoped)
  )

  it.live("of any other kind is found on the overview, and fixed on the page that it leads to", () =>
    Effect.gen(function* () {
      const publicUrl = `http://127.0.0.1:${yield* Effect.promise(freePort)}`
      const scene = yield* Scene.make({ byToken: true }, { publicUrl, basePath: "" })
      const { merchant, params } = yield* recordsIn(scene, "LIVE", "Kemi Fabrics")
      yield* scene.run(Scene.applicantCalled("Abuja Bakery"))
      yield* served(scene.handler, publicUrl)
      const browser = yield* browserOfFile
      const wide = { viewport: { width: 1280, height: 800 } }
      const todo = (page: Page, what: string) => page.locator('[class~="todo"] li', { hasText: what })
      const overview = (page: Page) => page.goto(`${publicUrl}/console/live/overview`)

      yield* Chromium.inWindow(
        browser,
        async (page) => {
          await signIn(page, publicUrl, "support")
          // A disabled endpoint is listed with its merchant, then enabled.
          await todo(page, "Endpoints are disabled").locator("a").click()
          assert.include(await Chromium.textOf(page, "table"), "Kemi Fabrics")
          await page.locator("table .k a", { hasText: "old.corner.example" }).click()
          await send(page, "Enable", "The endpoint is enabled")
          await overview(page)
          assert.strictEqual(await todo(page, "Endpoints are disabled").count(), 0)

          // A person said "not me". The merchant that asked is suspended.
          await todo(page, "People said “not me”").locator("a").click()
          const disowned = page.locator("section[aria-label='Disowned requests'] table")
          await disowned.locator("a", { hasText: "Kemi Fabrics" }).first().click()
          await page.locator(".acts a", { hasText: "Suspend" }).click()
          assert.strictEqual(await Chromium.textOf(page, "main form button"), "Suspend in LIVE")
          await send(page, "Suspend", "The merchant is suspended")
          await page.goto(`${publicUrl}/console/live/merchants/${merchant.id}`)
          assert.strictEqual(await Chromium.textOf(page, ".head .pill"), "Suspended")
          assert.include(await Chromium.textOf(page, "table[aria-label='Status changes']"), "this morning")
        },
        wide
      )
      yield* Chromium.inWindow(
        browser,
        async (page) => {
          await signIn(page, publicUrl, "ngozi.eze")
          // A leaked key is found by its id and permanently revoked.
          await page.fill("header input[name=q], .find input", params.keyId)
          await page.keyboard.press("Enter")
          await page.waitForURL(`**/keys/${params.keyId}`)
          await send(page, "Revoke", "The key is revoked")
          assert.strictEqual(await Chromium.textOf(page, ".head .pill"), "Revoked")

          // A merchant waiting for review is activated.
          await overview(page)
          await todo(page, "Merchants wait for review").locator("a").click()
          await page.locator("table .k a", { hasText: "Abuja Bakery" }).click()
          await page.locator(".acts a", { hasText: "Review" }).click()
          await page.locator("main input[type=radio]").first().check()
          await send(page, "Decision", "")
          await overview(page)
          assert.strictEqual(await todo(page, "Merchants wait for review").count(), 0)

          await page.locator("summary", { hasText: "Check the books now" }).click()
          const check = page.locator("details.panel form")
          await check.locator("textarea").fill("Found on the overview this morning")
          await check.locator("button").click()
          await page.locator("p[role=status]", { hasText: "The check has started" }).waitFor()
        },
        wide
      )
    }).pipe(Effect.scoped)
  )
})
