import { readFile } from "node:fs/promises"
import { assert, describe, layer } from "@effect/vitest"
import { Grants } from "@surety/core/consent/grant/Grants"
import { ManagementLinks } from "@surety/core/consent/link/ManagementLinks"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { freePort } from "@surety/testing/machine/FreePort"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import { Effect, Redacted } from "effect"
import * as Chromium from "./support/Chromium.js"
import * as PageServer from "./support/PageServer.js"
import * as Scene from "./support/Scene.js"

const browserOfFile = Chromium.browserOfFile()

const approved = Effect.gen(function* () {
  const person = yield* PersonConsents
  const asked = yield* Scene.asked()
  yield* Scene.approveBy(asked.token, { fields: ["email"], notice: Scene.notice })
  const token = Redacted.value(yield* person.managementToken(asked.token))
  return { ...asked, manageUrl: asked.url.replace(/\/consent\/.*$/u, `/consents/${token}`) }
})

const port = await freePort()

layer(PageServer.layer(port), { excludeTestServices: true })("The list of reads", (it) => {
  it.effect("names every merchant, unless the url names one", () =>
    Effect.gen(function* () {
      const grants = yield* Grants
      const reads = yield* IdentityReads
      const links = yield* ManagementLinks
      const consumer = yield* Scene.newPerson("LIVE")
      const read = Effect.fnUntraced(function* (name: string) {
        const { id: merchantId } = yield* Scene.newMerchant({ name })
        const scope = { merchantId, environment: "LIVE" as const }
        const { serviceId } = consumer
        yield* grants.create(scope, { serviceId, fields: ["email"], origin: "HOST", actor: { kind: "HOST" } })
        yield* reads.read(scope, { serviceId })
        return merchantId
      })
      const first = yield* read("Kemi Fabrics")
      yield* read("Ikeja Pharmacy")
      const { url } = yield* links.issue({ ...consumer, userId: consumer.userId })
      const textOf = (query: string) =>
        Effect.promise(async () => (await fetch(`${Redacted.value(url)}/reads${query}`)).text())
      const [all, ofFirst, empty, invalid] = yield* Effect.all(["", `?of=${first}`, "?of=", "?of=x"].map(textOf))
      for (const text of [all, empty, invalid]) {
        assert.match(text ?? "", /<h1>Every time they looked<\/h1>.*Ikeja Pharmacy.*Kemi Fabrics/su)
      }
      assert.match(ofFirst ?? "", /<h1>When <bdi>Kemi Fabrics<\/bdi> looked<\/h1>/u)
      assert.notInclude(ofFirst, "Ikeja Pharmacy")
    })
  )
})

layer(PageServer.layer(port), { excludeTestServices: true })("The page of a person's consents", (it) => {
  it.effect("says of each merchant when it last looked, however often others have looked since", () =>
    Effect.gen(function* () {
      const grants = yield* Grants
      const reads = yield* IdentityReads
      const consumer = yield* Scene.newPerson("LIVE")
      const { serviceId } = consumer
      const given = Effect.fnUntraced(function* (name: string) {
        const { id: merchantId } = yield* Scene.newMerchant({ name })
        const scope = { merchantId, environment: "LIVE" as const }
        yield* grants.create(scope, { serviceId, fields: ["email"], origin: "HOST", actor: { kind: "HOST" } })
        return scope
      })
      const rare = yield* given("Kemi Fabrics")
      const frequent = yield* given("Ikeja Pharmacy")
      yield* given("Corner Shop")
      yield* reads.read(rare, { serviceId })
      yield* Effect.replicateEffect(reads.read(frequent, { serviceId }), 101, { discard: true })
      const { url } = yield* (yield* ManagementLinks).issue({ ...consumer, userId: consumer.userId })
      const text = yield* Effect.promise(async () => (await fetch(Redacted.value(url))).text())
      const lookedOf = (name: string) =>
        /Last looked|Has not looked yet/u.exec(text.slice(text.indexOf(`<bdi>${name}</bdi></h2>`)))?.[0]
      assert.deepStrictEqual(["Kemi Fabrics", "Ikeja Pharmacy", "Corner Shop"].map(lookedOf), [
        "Last looked",
        "Last looked",
        "Has not looked yet"
      ])
    })
  )
})

describe.skipIf(isLeftOut(process.env, "SKIP_BROWSER"))("A person who takes consents back in Chromium", () => {
  layer(PageServer.layer(port), { excludeTestServices: true })((it) => {
    it.effect("gets there from the page after the decision, sees who read what, and revokes with one press", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const reads = yield* IdentityReads
        const { consumer, manageUrl, scope, url } = yield* approved
        const read = reads.read(scope, { serviceId: consumer.serviceId })
        yield* read
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(url)
          await page.click("text=Who can see my details")
          assert.strictEqual(page.url(), manageUrl)
          const card = await Chromium.textOf(page, ".card")
          for (const told of ["Corner Shop", "can see these until", "Email address", "Customer number"]) {
            assert.include(card, told)
          }
          assert.match(card, /Last looked \d.*, Lagos time/u)
          await page.click("text=Why, and since when")
          assert.match(await Chromium.textOf(page, ".card"), /They say To deliver your order.* You said yes \d/u)
          await page.click("text=Last looked")
          assert.include(await Chromium.textOf(page, "main"), "When Corner Shop looked")
          assert.match(await Chromium.textOf(page, ".card"), /\d\d:\d\d Customer number, Email address/u)
          await page.click("text=Who can see my details")
          await page.click(".card button")
          assert.include(await Chromium.textOf(page, "[role=status]"), "Taken back: 1")
          assert.strictEqual(await page.locator(".card").count(), 0)
          await page.click("text=Ended")
          assert.include(await Chromium.textOf(page, "main"), "You took it back on")
          assert.strictEqual(await page.locator("button").count(), 0)
        })
        assert.strictEqual((yield* Effect.flip(read))._tag, "ConsentRequired", "the next reading is refused")
      })
    )

    it.effect("takes back all at once; another merchant's and another person's stay", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const grants = yield* Grants
        const consumer = yield* Scene.newPerson("LIVE")
        const [one, two] = yield* Effect.replicateEffect(Scene.newMerchant(), 2)
        if (one === undefined || two === undefined) return assert.fail("there are two")
        const given = (merchantId: typeof one.id, serviceId = consumer.serviceId) =>
          grants.create(
            { merchantId, environment: "LIVE" },
            { serviceId, fields: ["email"], origin: "HOST", actor: { kind: "HOST" } }
          )
        yield* given(one.id)
        yield* given(two.id)
        const other = yield* Scene.newPerson("LIVE")
        const untouched = yield* given(one.id, other.serviceId)
        const { url } = yield* (yield* ManagementLinks).issue({ ...consumer, userId: consumer.userId })
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(Redacted.value(url))
          assert.include(await Chromium.textOf(page, "main"), "2 businesses. You can stop them at any time.")
          await page.click("text=Take back everything")
          await page.click("text=Yes, take back all")
          assert.include(await Chromium.textOf(page, "[role=status]"), "Taken back: 2")
          assert.include(await Chromium.textOf(page, "main"), "No business can see your details")
        })
        assert.strictEqual((yield* grants.get({ id: untouched.id, scope: undefined })).status, "ACTIVE")
      })
    )

    it.effect("reads, prints and downloads the receipt of each answer, in the language it was given in", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const { manageUrl } = yield* approved
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(`${manageUrl}/receipts`)
          await page.click("text=You said yes")
          const plain = await Chromium.textOf(page, "main")
          for (const told of ["You said yes to Corner Shop", "They may look until", "Only as long as they need it"]) {
            assert.include(plain, told)
          }
          assert.notInclude(plain, "ISO/IEC", "what experts want is folded")
          await page.click("text=For experts")
          const shown = await Chromium.textOf(page, "main")
          for (const told of ["Corner Shop Nigeria Ltd", "Email address", "Notice 1.0, en", "ISO/IEC TS 27560"]) {
            assert.include(shown, told)
          }
          const download = page.waitForEvent("download")
          await page.click("text=Download (JSON)")
          const saved = await download
          assert.match(saved.suggestedFilename(), /^consent-receipt_[0-9a-z]{26}\.json$/u)
          const { chain, jws, receipt } = JSON.parse(await readFile((await saved.path()) ?? "", "utf8"))
          assert.deepInclude(receipt, { dataFields: ["email"], notice: Scene.notice })
          assert.match(chain.hash, /^[0-9a-f]{64}$/u)
          const [, payload = ""] = String(jws).split(".")
          assert.deepStrictEqual(JSON.parse(Buffer.from(payload, "base64url").toString()), { receipt, chain })
          await page.emulateMedia({ media: "print" })
          assert.isFalse(await page.isVisible("text=Download (JSON)"))
        })
      })
    )

    it.effect("shows a merchant that has the link in TEST nothing of another merchant", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const grants = yield* Grants
        const { consumer, manageUrl } = yield* approved
        const neighbour = yield* Scene.newMerchant({ name: "Neighbour Ltd" })
        const grant = yield* grants.create(
          { merchantId: neighbour.id, environment: "TEST" },
          { serviceId: consumer.serviceId, fields: ["email"], origin: "HOST", actor: { kind: "HOST" } }
        )
        yield* Chromium.inWindow(
          browser,
          async (page) => {
            for (const path of ["", "/reads", "/receipts"]) {
              await page.goto(manageUrl + path)
              assert.notInclude(await page.content(), "Neighbour")
            }
            await page.goto(manageUrl)
            await page.evaluate((id) => {
              const button = document.querySelector("button")
              if (button !== null) button.value = id
            }, grant.id)
            await page.click(".card button")
            assert.include(await Chromium.textOf(page, "[role=status]"), "There was nothing left to take back.")
          },
          { javaScriptEnabled: true }
        )
        assert.strictEqual((yield* grants.get({ id: grant.id, scope: undefined })).status, "ACTIVE")
      })
    )
  })
})
