import { assert, describe, layer } from "@effect/vitest"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { freePort } from "@surety/testing/machine/FreePort"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import * as MachineChromium from "@surety/testing/machine/MachineChromium"
import { Effect } from "effect"
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import * as Chromium from "../../consent-page/test/support/Chromium.js"
import * as PageServer from "../../consent-page/test/support/PageServer.js"
import * as Scene from "../../consent-page/test/support/Scene.js"
import * as Shop from "./Shop.js"

/** The full browser instead of the headless shell, because these tests open windows. */
const browserOfFile = Chromium.browserOfFile(MachineChromium.find)
const port = await freePort()

type Asked = Effect.Success<ReturnType<typeof Scene.asked>>

/** The shop's server, with its data requests keyed by state. */
interface Desk {
  readonly asked: Map<string, Asked>
  readonly statusOf: (id: string) => Promise<string>
}

const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 800 } }
const phone: BrowserContextOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }

/**
 * Simulates the person leaving or returning to a page: sets its focus and visibility and fires their events. A headless
 * browser reports every window as focused and every tab as visible.
 */
const personGoes = (page: Page, where: "away" | "back"): Promise<void> =>
  page.evaluate((isHere) => {
    document.hasFocus = () => isHere
    Object.defineProperty(document, "visibilityState", {
      configurable: true,
      get: () => (isHere ? "visible" : "hidden")
    })
    dispatchEvent(new Event(isHere ? "focus" : "blur"))
    document.dispatchEvent(new Event("visibilitychange"))
  }, where === "back")

interface ShopOptions extends BrowserContextOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Additional pages of the shop, keyed by path. */
  readonly pages?: Readonly<Record<string, string>>
  readonly sites?: ReadonlyArray<string>
}

/** Runs `use` with the shop's checkout open in a window, and a real consent page on another origin. */
const atCheckout = (
  use: (page: Page, context: BrowserContext, desk: Desk) => Promise<void>,
  { headers = {}, pages = {}, sites = [], ...options }: ShopOptions = desktop
) =>
  Effect.gen(function* () {
    const browser = yield* browserOfFile
    const run = Effect.runPromiseWith(yield* Effect.context<Effect.Services<ReturnType<typeof Scene.asked>>>())
    const asked = new Map<string, Asked>()
    const statusOf = async (id: string): Promise<string> => {
      const found = [...asked.values()].find((each) => each.id === id)
      if (found === undefined) return "UNKNOWN"
      const { scope } = found
      return run(Effect.flatMap(DataRequests, (requests) => requests.get({ id: found.id, scope }))).then(
        ({ status }) => status
      )
    }
    const answer = async (path: string, posted: string | null): Promise<Shop.ShopAnswer | undefined> => {
      const page = pages[path]
      if (page !== undefined) return { body: page, type: "text/html", headers }
      if (posted === null) {
        const own = Shop.readmePages().get(path)
        return own === undefined ? undefined : { body: own, type: "text/html", headers }
      }
      const body = JSON.parse(posted)
      if (path === "/consents/status") return { body: JSON.stringify({ status: await statusOf(body.id) }) }
      const fresh = await run(Scene.asked({ returnUrl: `${Shop.origin}/back`, state: body.state }))
      asked.set(body.state, fresh)
      return { body: JSON.stringify({ id: fresh.id, url: fresh.url }) }
    }
    yield* Chromium.inWindow(
      browser,
      async (page, context) => {
        await Shop.serve(context, answer, [Shop.origin, ...sites])
        await page.goto(`${Shop.origin}/checkout`)
        await use(page, context, { asked, statusOf })
      },
      { ...options, javaScriptEnabled: true }
    )
  })

const opened = async (page: Page): Promise<Page> => {
  const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("#share")])
  await popup.waitForURL(`http://127.0.0.1:${port}/consent/*`)
  return popup
}

/** Decides, then returns to the shop with the page's button. */
const decide = async (popup: Page, decision: "approve" | "deny"): Promise<void> => {
  if (decision === "approve") await popup.check("#field-email")
  await popup.click(`button[value=${decision}]`)
  await popup.click("a.button")
}

const said = async (page: Page): Promise<string> => {
  await page.waitForFunction(() => document.querySelector("#say")?.textContent?.includes(":"))
  return (await page.textContent("#say")) ?? ""
}

/** Calls `openConsent` in the page. Stores its result or error in `window.ends`, keyed by state. */
const begin = (page: Page, url: string, options: { readonly state: string; readonly timeoutMs?: number }) =>
  page.evaluate(
    `import("/consent-kit.js").then(({ openConsent }) => {
      window.ends ??= {}
      window.cancel ??= {}
      const { state, timeoutMs } = ${JSON.stringify(options)}
      const controller = new AbortController()
      window.cancel[state] = () => controller.abort()
      openConsent(${JSON.stringify(url)}, { state, timeoutMs, signal: controller.signal }).then(
        (end) => { window.ends[state] = end },
        (error) => { window.ends[state] = String(error) }
      )
    })`
  )

const endOf = async (page: Page, state: string): Promise<unknown> => {
  await page.waitForFunction((of) => Reflect.get(Reflect.get(window, "ends"), of) !== undefined, state)
  return page.evaluate((of) => Reflect.get(Reflect.get(window, "ends"), of), state)
}

const endsNow = (page: Page): Promise<unknown> => page.evaluate(() => Reflect.get(window, "ends"))

const own = `${Shop.origin}/own`
const ownPages = { "/own": "<!DOCTYPE html><title>Own consent screen</title>" }

describe.skipIf(isLeftOut(process.env, "SKIP_BROWSER"))("The kit in a real browser", () => {
  layer(PageServer.layer(port), { excludeTestServices: true })((it) => {
    for (const [size, options] of Object.entries({ desktop, phone })) {
      it.effect(`leads to the page and back to the shop, and says nothing of the decision, ${size}`, () =>
        atCheckout(async (page, context, { asked, statusOf }) => {
          for (const [decision, status] of [
            ["approve", "APPROVED"],
            ["deny", "DENIED"]
          ] as const) {
            await page.goto(`${Shop.origin}/checkout`)
            const popup = await opened(page)
            assert.isNull(await popup.evaluate(() => window.opener))
            assert.strictEqual(await popup.evaluate(() => innerWidth), size === "phone" ? 360 : 480)
            const addresses: Array<string> = []
            popup.on("framenavigated", (frame) => addresses.push(frame.url()))
            const gone = popup.waitForEvent("close")
            await decide(popup, decision)
            assert.strictEqual(await said(page), `returned: ${status}`)
            await gone
            const [state = "", { id } = { id: "" }] = [...asked].at(-1) ?? []
            assert.strictEqual(addresses.at(-1), `${Shop.origin}/back?state=${state}`)
            assert.match(state, /^[0-9a-f]{32}$/u)
            assert.strictEqual(await statusOf(id), status)
          }
          assert.lengthOf(context.pages(), 1)
        }, options)
      )

      it.effect(`ends as closed once the person is back without an end, ${size}`, () =>
        atCheckout(async (page) => {
          for (const how of ["closes it", "goes elsewhere", "only looks"] as const) {
            await page.goto(`${Shop.origin}/checkout`)
            const popup = await opened(page)
            await personGoes(page, "away")
            if (how === "closes it") await popup.close()
            if (how === "goes elsewhere") await popup.goto(`${Shop.origin}/checkout`)
            await personGoes(page, "back")
            assert.strictEqual(await said(page), "closed: PENDING", how)
            if (how !== "only looks") continue
            await decide(popup, "approve")
            await popup.waitForURL(`${Shop.origin}/checkout`)
            assert.strictEqual(await said(page), "closed: PENDING", "an end counts once; the return page goes on")
          }
        }, options)
      )
    }

    it.effect("goes on in the same window if the browser opens no other", () =>
      atCheckout(async (page, context, { asked, statusOf }) => {
        await page.evaluate(() => {
          window.open = () => null
        })
        await page.click("#share")
        await page.waitForURL(`http://127.0.0.1:${port}/consent/*`)
        await decide(page, "approve")
        await page.waitForURL(`${Shop.origin}/checkout`)
        const [{ id } = { id: "" }] = asked.values()
        assert.strictEqual(await statusOf(id), "APPROVED")
        assert.lengthOf(context.pages(), 1)
      })
    )

    it.effect("works from a page that parts itself from its windows", () =>
      atCheckout(
        async (page) => {
          await decide(await opened(page), "approve")
          assert.strictEqual(await said(page), "returned: APPROVED")
        },
        { ...desktop, headers: { "cross-origin-opener-policy": "same-origin" } }
      )
    )

    it.effect("keeps two at once apart, and opens one window for one state", () =>
      atCheckout(
        async (page, context) => {
          await begin(page, own, { state: "one" })
          await begin(page, own, { state: "two" })
          await begin(page, own, { state: "two" })
          assert.lengthOf(context.pages(), 3)
          const back = await context.newPage()
          await back.goto(`${Shop.origin}/back?state=two`)
          assert.strictEqual(await endOf(page, "two"), "returned")
          assert.deepStrictEqual(await endsNow(page), { two: "returned" })
          await back.goto(`${Shop.origin}/back?state=one`)
          assert.strictEqual(await endOf(page, "one"), "returned")
        },
        { ...desktop, pages: ownPages }
      )
    )

    it.effect("hears nothing of another site, of another state, or of another window's messages", () =>
      atCheckout(
        async (page, context) => {
          await begin(page, own, { state: "right" })
          const forge = `for (const data of [["returned", "right"], ["heard", "right"]]) {
            const channel = new BroadcastChannel("@surety/consent-kit")
            channel.postMessage(data)
          }`
          const evil = await context.newPage()
          await evil.goto("https://evil.example/back")
          await evil.evaluate(forge)
          const [shop] = await Promise.all([
            evil.waitForEvent("popup"),
            evil.evaluate(() => {
              Reflect.set(window, "shop", window.open("https://shop.example/checkout"))
            })
          ])
          await shop.waitForLoadState()
          await begin(shop, own, { state: "right" })
          await evil.evaluate(() => Reflect.get(window, "shop").postMessage(["returned", "right"], "*"))
          const wrong = await context.newPage()
          for (const state of ["righ", "right%00"]) {
            await wrong.goto(`${Shop.origin}/back?state=${state}`)
            await wrong.waitForURL(`${Shop.origin}/checkout`)
          }
          await page.evaluate(`new BroadcastChannel("@surety/consent-kit").postMessage("returned,right")`)
          assert.deepStrictEqual([await endsNow(page), await endsNow(shop)], [{}, {}])
          await wrong.goto(`${Shop.origin}/back?state=right`)
          assert.deepStrictEqual([await endOf(page, "right"), await endOf(shop, "right")], ["returned", "returned"])
        },
        { ...desktop, pages: ownPages, sites: ["https://evil.example"] }
      )
    )

    it.effect("ends in time, and when aborted", () =>
      atCheckout(
        async (page, context) => {
          await page.clock.install()
          await page.goto(`${Shop.origin}/checkout`)
          await begin(page, own, { state: "late" })
          await page.clock.fastForward(30 * 60_000 - 5_000)
          assert.deepStrictEqual(await endsNow(page), {})
          await page.clock.fastForward(5_000)
          assert.strictEqual(await endOf(page, "late"), "timed_out")
          await begin(page, own, { state: "soon", timeoutMs: 100 })
          await page.clock.fastForward(100)
          assert.strictEqual(await endOf(page, "soon"), "timed_out")
          const [popup] = await Promise.all([page.waitForEvent("popup"), begin(page, own, { state: "told" })])
          const gone = popup.waitForEvent("close")
          await page.evaluate(() => Reflect.get(window, "cancel").told())
          assert.strictEqual(await endOf(page, "told"), "aborted")
          await gone
          await begin(page, own, { state: "told" })
          await page.evaluate(() => Reflect.get(window, "cancel").told())
          assert.strictEqual(await endOf(page, "told"), "aborted", "a state can be used again once it has ended")
          assert.lengthOf(context.pages(), 3)
          await begin(page, own, { state: "patient", timeoutMs: 2 ** 40 })
          await page.clock.fastForward(60_000)
          assert.notProperty(await endsNow(page), "patient", "a browser's longest timer is shorter")
        },
        { ...desktop, pages: ownPages }
      )
    )

    it.effect("opens no address but https, and closes the window of a request that failed", () =>
      atCheckout(async (page, context) => {
        for (const url of ["javascript:alert(1)", "http://shop.example/", "data:text/html,x", "/consent/x", ""]) {
          await begin(page, url, { state: url })
          assert.match(String(await endOf(page, url)), /^TypeError/u, url)
          assert.lengthOf(context.pages(), 1, url)
        }
        for (const settled of [
          "Promise.reject(new Error('the server is down'))",
          "Promise.resolve('javascript:alert(1)')"
        ]) {
          const [popup] = await Promise.all([
            page.waitForEvent("popup"),
            page.evaluate(`import("/consent-kit.js").then(({ openConsent }) => {
              window.ends = {}
              openConsent(${settled}, { state: "s" }).catch((error) => { window.ends.s = String(error) })
            })`)
          ])
          if (!popup.isClosed()) await popup.waitForEvent("close")
          assert.match(String(await endOf(page, "s")), /server is down|must be https/u)
        }
        const unheard: Array<unknown> = []
        page.on("pageerror", (error) => unheard.push(error))
        const ended = await page.evaluate(`import("/consent-kit.js").then(async ({ openConsent }) => {
          const end = await openConsent(Promise.reject(new Error("down")), { state: "n", signal: AbortSignal.abort() })
          await new Promise((resolve) => setTimeout(resolve))
          return end
        })`)
        assert.strictEqual(ended, "aborted")
        assert.deepStrictEqual(unheard, [], "a url that no window waits for fails unheard")
        const [late] = await Promise.all([
          page.waitForEvent("popup"),
          page.evaluate(`import("/consent-kit.js").then(async ({ openConsent }) => {
            window.ends = {}
            const url = new Promise((resolve) => { window.answer = () => resolve("https://shop.example/checkout") })
            window.ends.late = await openConsent(url, { state: "late", timeoutMs: 1 })
            window.answer()
          })`)
        ])
        if (!late.isClosed()) await late.waitForEvent("close")
        assert.strictEqual(await endOf(page, "late"), "timed_out", "a url that comes too late opens no window")
        assert.lengthOf(context.pages(), 1)
      })
    )

    it.effect("gives the window no handle on the shop, also if that does not part itself", () =>
      atCheckout(
        async (page) => {
          const [popup] = await Promise.all([page.waitForEvent("popup"), begin(page, own, { state: "one" })])
          await popup.waitForURL(own)
          assert.isNull(await popup.evaluate(() => window.opener))
          await personGoes(page, "away")
          await personGoes(page, "back")
          await begin(page, own, { state: "other" })
          await popup.close()
          assert.strictEqual(await endOf(page, "one"), "closed")
          assert.deepStrictEqual(await endsNow(page), { one: "closed" }, "one that is seen to be open goes on")
        },
        { ...desktop, pages: ownPages }
      )
    )
  })
})
