import { assert, describe, layer } from "@effect/vitest"
import { AskingBlocks } from "@surety/core/consent/asking/AskingBlocks"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { freePort } from "@surety/testing/machine/FreePort"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Chromium from "./support/Chromium.js"
import * as PageServer from "./support/PageServer.js"
import * as Scene from "./support/Scene.js"

const share = "button[value=approve]"
const refuse = "button[value=deny]"

const fields = (...names: ReadonlyArray<string>) => names.map((name) => IdentityField.make(name))

const heading = (page: Page): Promise<string> => Chromium.textOf(page, "h1")

const statusOf = Effect.fnUntraced(function* ({ id, scope }: Effect.Success<ReturnType<typeof Scene.asked>>) {
  return yield* (yield* DataRequests).get({ id, scope })
})

const browserOfFile = Chromium.browserOfFile()
const port = await freePort()

describe.skipIf(isLeftOut(process.env, "SKIP_BROWSER"))("A person who decides in a window without scripts", () => {
  layer(PageServer.layer(port), { excludeTestServices: true })((it) => {
    it.effect("sees who asks, for what and until when, and every box unticked with a masked preview", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const { merchant, url } = yield* Scene.asked()
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(url)
          for (const fold of await page.locator("summary").all()) await fold.click()
          const text = await Chromium.textOf(page, "main")
          for (const told of [
            ...["Corner Shop wants to see your details", "Corner Shop Nigeria Ltd", merchant.businessCode],
            ...["corner.example", "To deliver your order to the right person", "You can take it back at any time"],
            ...[
              "Nigeria Data Protection Commission",
              "A••• O•••",
              "a•••@example.com",
              "Nigeria",
              "Naira Pay has not checked this business."
            ]
          ]) {
            assert.include(text, told)
          }
          assert.notInclude(await page.content(), "ada.obi")
          assert.notInclude(await page.content(), "Obi")
          assert.strictEqual(await page.locator("input[type=checkbox]").count(), 4)
          assert.strictEqual(await page.locator("input[type=checkbox]:checked").count(), 0)
        })
      })
    )

    it.effect("shares what was ticked and nothing else, and shows how to revoke it", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const asked = yield* Scene.asked()
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(asked.url)
          await page.check("#field-email")
          await page.check("#field-country")
          await page.click(share)
          assert.strictEqual(await heading(page), "Done. You said yes.")
          assert.deepStrictEqual(await page.locator("main ul b").allInnerTexts(), [
            "Email address",
            "Country",
            "Customer number"
          ])
          assert.strictEqual(page.url(), asked.url, "loading the page again sends nothing again")
          await page.reload()
          assert.strictEqual(await heading(page), "Done. You said yes.")
        })
        const { approvedFields, status } = yield* statusOf(asked)
        assert.deepEqual({ approvedFields, status }, { status: "APPROVED", approvedFields: fields("email", "country") })
      })
    )

    it.effect("is asked again if nothing was ticked, and led to the mistake", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const asked = yield* Scene.asked()
        yield* Chromium.inWindow(
          browser,
          async (page) => {
            await page.goto(asked.url)
            const answer = page.waitForResponse((response) => response.request().method() === "POST")
            await page.click(share)
            assert.strictEqual((await answer).status(), 400)
            assert.match(await page.title(), /^Error: /u)
            assert.isTrue(await page.evaluate(() => document.activeElement?.getAttribute("role") === "alert"))
            await page.click(".error a")
            const focused = () => page.evaluate(() => document.activeElement?.id)
            assert.strictEqual(await focused(), "field-display_name", "the first box, where it can be corrected")
            await page.check("#field-email")
            await page.click(share)
            assert.match(await heading(page), /^Done\. You said yes/u)
          },
          { javaScriptEnabled: true }
        )
        assert.strictEqual((yield* statusOf(asked)).status, "APPROVED")
      })
    )

    it.effect("shares nothing, with any boxes ticked", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const asked = yield* Scene.asked()
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(asked.url)
          await page.check("#field-email")
          await page.click(refuse)
          assert.strictEqual(await heading(page), "Nothing was shared")
        })
        assert.deepInclude(yield* statusOf(asked), { status: "DENIED", denialReason: "DECLINED" })
      })
    )

    it.effect("shares nothing by Enter on a box: the form's first button decides nothing", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const asked = yield* Scene.asked()
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(asked.url)
          await page.check("#field-email")
          const answer = page.waitForResponse((response) => response.request().method() === "POST")
          await page.press("#field-email", "Enter")
          await answer
          await page.waitForLoadState()
          assert.match(await heading(page), /^Corner Shop wants to see/u)
          assert.isTrue(await page.isChecked("#field-email"), "what was ticked stays")
          assert.isFalse(await page.isChecked("#field-country"))
          const first = page.locator("button").first()
          assert.strictEqual(await first.getAttribute("value"), "")
          assert.strictEqual(await first.getAttribute("form"), await page.getAttribute("form.ask", "id"))
          assert.strictEqual(await first.getAttribute("tabindex"), "-1")
          const box = await first.boundingBox()
          assert.isTrue(box === null || box.width * box.height <= 1)
        })
        assert.strictEqual((yield* statusOf(asked)).status, "PENDING")
      })
    )

    it.effect("stops the merchant asking, after a no", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const blocks = yield* AskingBlocks
        const asked = yield* Scene.asked()
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(asked.url)
          await page.click(refuse)
          assert.include(await Chromium.textOf(page, "main"), "Do they keep asking?")
          await page.click("button[value=stop_asking]")
          assert.include(await Chromium.textOf(page, "main"), "Corner Shop cannot ask you again.")
          await page.reload()
          assert.include(await heading(page), "Nothing was shared")
        })
        const { data } = yield* blocks.list(asked.scope, Scene.page)
        assert.lengthOf(data, 1)
        assert.deepInclude(data[0], { userId: asked.consumer.userId, reason: "STOP_ASKING", dataRequestId: asked.id })
      })
    )

    it.effect("says that it is not them: it is recorded, and stands in the operator's list", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const requests = yield* DataRequests
        const asked = yield* Scene.asked()
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(asked.url)
          await page.click("button[value=not_me]")
          assert.strictEqual(await heading(page), "Thank you for telling us")
          assert.strictEqual(await page.locator("a[href*='/consents/']").count(), 0, "they see nothing of the person's")
          await page.goto(asked.url)
          assert.strictEqual(await heading(page), "Thank you for telling us")
          assert.strictEqual(await page.locator("a[href*='/consents/']").count(), 0, "nor with the link later")
        })
        assert.deepInclude(yield* statusOf(asked), { status: "DENIED", denialReason: "NOT_ME" })
        const { data } = yield* requests.listDisowned("TEST", Scene.page)
        assert.include(
          data.map(({ id }) => id),
          asked.id
        )
      })
    )

    it.effect("a person who decides in two tabs at once has the first answer counted, and sees so", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const asked = yield* Scene.asked()
        const statuses = yield* Chromium.inWindow(browser, async (one, context) => {
          const two = await context.newPage()
          await one.goto(asked.url)
          await two.goto(asked.url)
          await one.check("#field-email")
          const answers = [one, two].map((tab) =>
            tab.waitForResponse((response) => response.request().method() === "POST")
          )
          await Promise.all([one.click(share), two.click(refuse)])
          const answered = (await Promise.all(answers)).map((answer) => answer.status())
          assert.strictEqual(await heading(one), await heading(two), "both show the decision that stands")
          const late = answered[0] === 409 ? one : two
          assert.include(await Chromium.textOf(late, "main"), "You answered this before.")
          return answered
        })
        assert.deepStrictEqual([...statuses].sort(), [303, 409])
      })
    )

    it.effect("uses the keyboard alone", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const asked = yield* Scene.asked({ fields: ["email", "country"] })
        yield* Chromium.inWindow(
          browser,
          async (page) => {
            await page.goto(asked.url)
            const focused = () => page.evaluate(() => document.activeElement?.outerHTML ?? "")
            await page.keyboard.press("Tab")
            assert.include(await focused(), "Skip to the main content")
            await page.keyboard.press("Enter")
            const ways = ["duration", "field-email", "field-country", "not_me", "summary", "summary", "approve", "deny"]
            for (const name of ways) {
              await page.keyboard.press("Tab")
              assert.include(await focused(), name)
              const outlines = await page.evaluate(() => {
                const widthOf = (element: Element | null | undefined) =>
                  element == null ? 0 : Number.parseFloat(getComputedStyle(element).outlineWidth)
                return [widthOf(document.activeElement), widthOf(document.activeElement?.closest(".row"))]
              })
              assert.isAtLeast(Math.max(...outlines), 2, `${name} shows that it has the focus`)
            }
            for (let back = 0; back < 6; back++) await page.keyboard.press("Shift+Tab")
            assert.include(await focused(), "field-email")
            await page.keyboard.press("Space")
            for (let on = 0; on < 5; on++) await page.keyboard.press("Tab")
            await page.keyboard.press("Enter")
            await page.waitForSelector("text=Done. You said yes.")
          },
          { javaScriptEnabled: true }
        )
        const { approvedFields, status } = yield* statusOf(asked)
        assert.deepEqual({ approvedFields, status }, { status: "APPROVED", approvedFields: fields("email") })
      })
    )

    it.effect("has a link that has expired, or was cancelled, and sees what a visitor without a link sees", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const requests = yield* DataRequests
        const asked = yield* Scene.asked()
        yield* requests.cancel(asked.scope, asked.id)
        const seen = (url: string) =>
          Chromium.inWindow(browser, async (page) => {
            const answer = await page.goto(url)
            assert.strictEqual(answer?.status(), 404)
            return Chromium.textOf(page, "main")
          })
        assert.strictEqual(yield* seen(asked.url), yield* seen(`${asked.url.slice(0, -1)}_`))
      })
    )
  })
})
