import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./support/Scene.js"
import { type FoundForm, formsIn, type Visitor, visitor } from "./support/Visitor.js"
import { pathOf, reason, recordsIn, standing } from "./support/walking.js"

const draft = "__Host-console_draft"

/** Deletes the session cookie, as if the session had ended, and sends a form. */
const sendLate = async (browser: Visitor, path: string, form: FoundForm | undefined, fields = {}) => {
  browser.jar.delete("__Host-console_session")
  return browser.post(path, { ...form?.fields, reason, ...fields }, { "sec-fetch-site": "same-origin" })
}

const formOf = async (browser: Visitor, path: string, name: string) =>
  formsIn(path, (await browser.get(path)).text).find(({ fields }) => fields.form === name)

describe("A form that is sent after its session has ended", () => {
  it.live("changes nothing, and is there again once its operator has signed in", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const records = yield* recordsIn(scene, "LIVE")
      const before = yield* standing(records)
      const browser = visitor(scene.handler)
      yield* Effect.promise(async () => {
        const path = "/console/live/ledger/post"
        await browser.signIn("money")
        const form = await formOf(browser, path, "post")
        const fields = { kind: "PAYOUT", party: records.merchant.id, amount: "1,000.50", token: "not-to-be-kept" }
        const answer = await sendLate(browser, path, form, fields)
        assert.strictEqual(answer.status, 303)
        assert.include(answer.headers.get("location") ?? "", "/sign-in?next=")
        const kept = browser.jar.get(draft) ?? ""
        for (const words of [reason, records.merchant.id, "1,000.50", "not-to-be-kept"]) {
          assert.notInclude(decodeURIComponent(kept), words, "it is sealed")
          assert.notInclude(Buffer.from(kept.split(".")[1] ?? "", "base64url").toString(), words)
        }
        const signedIn = await browser.signIn("money")
        assert.strictEqual(signedIn.status, 303)
        assert.strictEqual((await browser.get("/console/live/refunds")).status, 200)
        const again = await browser.get(path)
        assert.strictEqual(again.status, 200)
        assert.include(again.text, "Your session had ended")
        const drawn = formsIn(path, again.text).find((one) => one.fields.form === "post")
        assert.include(again.text, `${reason}</textarea>`)
        assert.include(again.text, 'value="1,000.50"')
        assert.match(again.text, /value="PAYOUT"[^>]* checked/u)
        assert.notInclude(again.text, "not-to-be-kept")
        assert.notStrictEqual(drawn?.fields.guard, form?.fields.guard, "its own form, with a token of the new session")
        assert.isUndefined(browser.jar.get(draft), "shown once")
        assert.notInclude((await browser.get(path)).text, reason)
      })
      assert.strictEqual((yield* standing(records)).text, before.text)
    }).pipe(Effect.scoped)
  )

  it.live("is shown to no other operator, at no other address, and not if it came from another site", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const records = yield* recordsIn(scene, "LIVE")
      const others = yield* recordsIn(scene, "LIVE", "Tari Shoes")
      const path = pathOf({ path: "merchants/:merchantId/suspend" }, "LIVE", records.params)
      const elsewhere = pathOf({ path: "merchants/:merchantId/suspend" }, "LIVE", others.params)
      const browser = visitor(scene.handler)
      yield* Effect.promise(async () => {
        await browser.signIn("support")
        await sendLate(browser, path, await formOf(browser, path, "status"))
        assert.isDefined(browser.jar.get(draft))
        const sealed = browser.jar.get(draft) ?? ""
        await browser.signIn("admin")
        assert.notInclude((await browser.get(path)).text, reason, "another operator’s")
        assert.isUndefined(browser.jar.get(draft), "and it is gone from the browser")

        browser.jar.set(draft, sealed)
        browser.jar.delete("__Host-console_session")
        await browser.signIn("support")
        assert.notInclude((await browser.get(elsewhere)).text, reason, "another record’s")
        for (const changed of [`${sealed.slice(0, -2)}AA`, `x.${sealed}`, "x", ".", "a.b.c"]) {
          browser.jar.set(draft, changed)
          assert.notInclude((await browser.get(path)).text, reason, changed.slice(0, 20))
        }
        browser.jar.set(draft, sealed)
        assert.include((await browser.get(path)).text, reason)

        const form = await formOf(browser, path, "status")
        browser.jar.delete("__Host-console_session")
        for (const site of ["cross-site", "same-site", "none"]) {
          await browser.post(path, { ...form?.fields, reason }, { "sec-fetch-site": site })
          assert.isUndefined(browser.jar.get(draft), site)
        }
        const { owner: _, ...nobodys } = form?.fields ?? {}
        await sendLate(browser, path, form && { ...form, fields: nobodys })
        assert.isUndefined(browser.jar.get(draft), "of no operator")
        const forged = { ...form?.fields, owner: "A".repeat(43) }
        await sendLate(browser, path, form && { ...form, fields: forged })
        await browser.signIn("support")
        assert.notInclude((await browser.get(path)).text, reason, "of an operator whom someone else names")
      })
    }).pipe(Effect.scoped)
  )
})
