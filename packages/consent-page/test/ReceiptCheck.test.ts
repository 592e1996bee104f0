import { generateKeyPairSync } from "node:crypto"
import { readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { provenText, ReceiptSigner } from "@surety/core/consent/receipt/ReceiptSigner"
import { freePort } from "@surety/testing/machine/FreePort"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import { Effect, Redacted } from "effect"
import type { Page } from "playwright-core"
import * as Chromium from "./support/Chromium.js"
import * as PageServer from "./support/PageServer.js"
import * as Scene from "./support/Scene.js"

const browserOfFile = Chromium.browserOfFile()
const port = await freePort()
const address = `http://127.0.0.1:${port}/consent-page/check-receipt.html`

const proven = Effect.gen(function* () {
  const person = yield* PersonConsents
  const signer = yield* ReceiptSigner
  const asked = yield* Scene.asked()
  yield* Scene.approveBy(asked.token, { fields: ["email"], notice: Scene.notice })
  const token = yield* person.managementToken(asked.token)
  const { data } = yield* person.receipts(yield* person.open(token), Scene.page)
  const [receipt] = data
  if (receipt === undefined) return assert.fail("there is a receipt")
  const jws = yield* signer.sign(receipt)
  const url = `http://127.0.0.1:${port}/consents/${Redacted.value(token)}/receipts/${receipt.id}`
  const file = `${provenText(receipt).slice(0, -1)},"jws":${JSON.stringify(jws)}}\n`
  return { url, file, jws, keys: JSON.stringify({ keys: signer.keys }), asked }
})

const named = (name: string, text: string) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) })

const verdict = async (page: Page): Promise<string> => {
  await page.waitForSelector("#result p")
  return Chromium.textOf(page, "#result p")
}

const onPage = (use: (page: Page) => Promise<void>) =>
  Effect.flatMap(browserOfFile, (browser) =>
    Chromium.inWindow(
      browser,
      async (page) => {
        const errors: Array<string> = []
        page.on("pageerror", (error) => errors.push(String(error)))
        page.on("console", (message) => message.type() === "error" && errors.push(message.text()))
        await page.goto(address)
        await use(page)
        assert.deepStrictEqual(errors, [])
      },
      { javaScriptEnabled: true }
    )
  )

const withPart = (jws: string, index: number, change: (text: string) => string): string =>
  jws
    .split(".")
    .map((part, at) =>
      at === index ? Buffer.from(change(Buffer.from(part, "base64url").toString())).toString("base64url") : part
    )
    .join(".")

describe.skipIf(isLeftOut(process.env, "SKIP_BROWSER"))("The page that checks receipts", () => {
  layer(PageServer.layer(port), { excludeTestServices: true })((it) => {
    it.effect("is led to from a receipt, and shows what was signed in the file that is downloaded there", () =>
      Effect.gen(function* () {
        const { asked, url } = yield* proven
        yield* Effect.flatMap(browserOfFile, (browser) =>
          Chromium.inWindow(
            browser,
            async (page) => {
              await page.goto(url)
              await page.click("summary:has-text('For experts')")
              const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download (JSON)")])
              await page.click("text=Check its signature")
              await page.waitForURL(address)
              await page.setInputFiles("#files", await download.path())
              assert.strictEqual(await verdict(page), "Genuine. The signature fits.")
              const facts = await Chromium.textOf(page, "#result dl")
              for (const fact of ["GRANTED", "Corner Shop Nigeria Ltd", "email", asked.consumer.serviceId]) {
                assert.include(facts, fact)
              }
            },
            { javaScriptEnabled: true }
          )
        )
      })
    )

    it.effect("takes a bare signature, a list of the interface, and keys of one's own", () =>
      Effect.gen(function* () {
        const { file, jws, keys } = yield* proven
        yield* onPage(async (page) => {
          for (const text of [jws, ` ${jws}\n`, file, JSON.stringify({ data: [JSON.parse(file)] })]) {
            await page.fill("#text", text)
            await page.waitForSelector("#result .yes")
            await page.fill("#text", "{}")
            await page.waitForSelector("#result .no")
          }
          await page.setInputFiles("#files", [named("receipt.json", file), named("jwks.json", keys)])
          await page.waitForSelector("#result .yes")
          assert.match(await Chromium.textOf(page, "#which"), /key\(s\) of your file/u)
          await page.setInputFiles("#files", [named("jwks.json", '{"keys":[]}')])
          await page.waitForSelector("#result .no")
          assert.match(await verdict(page), /^Not genuine. None of the keys made this signature/u)
        })
      })
    )

    it.effect("calls nothing genuine that is not exactly what was signed", () =>
      Effect.gen(function* () {
        const { file, jws, keys } = yield* proven
        const [header = "", payload = "", signature = ""] = jws.split(".")
        const { x } = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" })
        const own = JSON.stringify({ keys: [{ ...JSON.parse(keys).keys[0], x }] })
        const forged: Readonly<Record<string, string>> = {
          "another text": withPart(jws, 1, (text) => text.replace("GRANTED", "DENIED")),
          "another signature": `${header}.${payload}.${"A".repeat(signature.length)}`,
          "a short signature": `${header}.${payload}.AAAA`,
          "no algorithm": withPart(jws, 0, (text) => text.replace("EdDSA", "none")),
          "another kind of signature": withPart(jws, 0, (text) => text.replace("consent-receipt+jws", "jwt")),
          "a critical extension": withPart(jws, 0, (text) => text.replace("{", '{"crit":["x"],')),
          "an unknown key": withPart(jws, 0, (text) => text.replace(/"kid":"[^"]+"/u, '"kid":"other"')),
          "readable text that was changed": file.replace('"email"', '"display_name"'),
          "no signature": file.replace(/,"jws":"[^"]+"/u, ""),
          "an empty list": '{"data":[]}',
          markup: '<img src=x onerror="document.title=1">',
          "no text": "null"
        }
        yield* onPage(async (page) => {
          for (const [what, text] of Object.entries(forged)) {
            await page.fill("#text", jws)
            await page.waitForSelector("#result .yes")
            await page.fill("#text", text)
            await page.waitForSelector("#result .no")
            assert.match(await verdict(page), /^Not genuine\. /u, what)
            assert.strictEqual(await page.locator("#result .yes, #result dl, #result img").count(), 0, what)
          }
          await page.fill("#text", jws)
          await page.waitForSelector("#result .yes")
          await page.setInputFiles("#files", [named("jwks.json", own)])
          await page.waitForSelector("#result .no")
          assert.match(await verdict(page), /does not fit/u, "another key under the same name")
        })
      })
    )

    it.effect("works offline, saved on a disk, and can reach nothing", () =>
      Effect.gen(function* () {
        const { file } = yield* proven
        const saved = path.join(tmpdir(), `check-receipt-${port}.html`)
        const { text, type } = yield* Effect.promise(async () => {
          const answer = await fetch(address)
          assert.match(answer.headers.get("content-security-policy") ?? "", /^default-src 'none'; script-src 'sha256-/u)
          return { text: await answer.text(), type: answer.headers.get("content-type") }
        })
        assert.strictEqual(type, "text/html; charset=utf-8")
        assert.notMatch(text, /https?:|fetch|XMLHttpRequest|WebSocket|innerHTML|eval/u)
        yield* Effect.flatMap(browserOfFile, (browser) =>
          Chromium.inWindow(
            browser,
            async (page, context) => {
              await writeFile(saved, text)
              await context.setOffline(true)
              const asked: Array<string> = []
              page.on("request", (request) => asked.push(request.url()))
              await page.goto(`file://${saved}`)
              await page.setInputFiles("#files", [named("receipt.json", file)])
              assert.strictEqual(await verdict(page), "Genuine. The signature fits.")
              assert.deepStrictEqual(asked, [`file://${saved}`])
              await context.setOffline(false)
              const reached = await page.evaluate((url) => fetch(url).then(() => "reached", String), address)
              assert.match(reached, /TypeError/u, "its policy stands in the file")
              await rm(saved)
            },
            { javaScriptEnabled: true }
          )
        )
      })
    )

    it.effect("has nothing that axe objects to", () =>
      Effect.gen(function* () {
        const { jws } = yield* proven
        const axe = yield* Effect.promise(() => readFile(new URL(import.meta.resolve("axe-core")), "utf8"))
        const browser = yield* browserOfFile
        for (const colorScheme of ["light", "dark"] as const) {
          yield* Chromium.inWindow(
            browser,
            async (page) => {
              await page.goto(address)
              await page.fill("#text", jws)
              await page.waitForSelector("#result .yes")
              await page.evaluate(axe)
              const found = await page.evaluate(
                `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0]?.html].join(" ")))`
              )
              assert.deepStrictEqual(found, [], colorScheme)
              const { clientWidth, scrollWidth } = await page.evaluate(() => document.documentElement)
              assert.strictEqual(scrollWidth, clientWidth)
            },
            { javaScriptEnabled: true, bypassCSP: true, colorScheme, viewport: { width: 360, height: 740 } }
          )
        }
      })
    )
  })
})
