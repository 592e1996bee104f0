import { assert, describe, it } from "@effect/vitest"
import { csvCell } from "@surety/console/screen/csv"
import { includesRole } from "@surety/core/operator/Operator"
import { Effect } from "effect"
import * as Scene from "./support/Scene.js"
import { formsIn, visitor } from "./support/Visitor.js"
import { pathOf, reason, recordsIn, standing, stops } from "./support/walking.js"

const environments = ["LIVE", "TEST"] as const

const signedIn = (scene: Scene.Scene, name: string) =>
  Effect.promise(async () => {
    const browser = visitor(scene.handler)
    const answer = await browser.signIn(name)
    assert.strictEqual(answer.status, 303)
    return browser
  })

/** Pages whose content never changes, and the search page, which is empty without a query. */
const unchanging = new Set([
  "search",
  "audit/:actionId",
  "ledger/transfers/:transferId",
  "people/:consumerId/receipts/:receiptId"
])

/** Checks the headers required on every page and every downloaded file. */
const expectPrivate = (headers: Headers) => {
  assert.strictEqual(headers.get("cache-control"), "no-store")
  assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
  assert.strictEqual(headers.get("x-frame-options"), "DENY")
  assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
  const policy = headers.get("content-security-policy") ?? ""
  for (const part of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
    assert.include(policy, part)
  }
  assert.notMatch(policy, /unsafe|script-src/u)
}

describe("Every page of the console", () => {
  it.live("is small, private, without scripts, and shows what merchants and people wrote as text", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const browser = yield* signedIn(scene, "admin")
      for (const environment of environments) {
        for (const { name, page, prepare } of stops) {
          const records = yield* recordsIn(scene, environment)
          yield* prepare(records, browser)
          const got = yield* Effect.promise(() => browser.get(pathOf(page, environment, records.params)))
          assert.strictEqual(got.status, 200, `${environment} ${name}`)
          expectPrivate(got.headers)
          assert.isBelow(got.text.length, 60_000, name)
          assert.notMatch(got.text, /<script|<img|onerror=alert\(2\)>|\sstyle="|javascript:/iu, name)
          assert.include(got.text, `<title>`)
          // Viewer pages with data that can change show the time of the data, next to the link "Refresh".
          if (page.role === "viewer" && !unchanging.has(page.path)) assert.include(got.text, "Refresh", name)
          assert.include(got.text, environment === "LIVE" ? "Real money, real people" : "Sandbox: no real money")
          assert.include(got.text, `<body class="${environment.toLowerCase()}">`)
          for (const secret of [/\bhash\b/, /sk_live_/, /whsec_/]) assert.notMatch(got.text, secret, name)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("is shown to the roles that may see it, and to no one without a session", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const records = yield* recordsIn(scene, "LIVE")
      const nobody = visitor(scene.handler)
      const forged = visitor(scene.handler)
      for (const role of Scene.roles) {
        const browser = yield* signedIn(scene, role)
        for (const { page } of stops) {
          const path = pathOf(page, "LIVE", records.params)
          const got = yield* Effect.promise(() => browser.get(path))
          assert.strictEqual(got.status, includesRole(role, page.role) ? 200 : 403, `${role}: ${page.path}`)
          if (got.status === 403) expectPrivate(got.headers)
        }
      }
      for (const { page } of stops) {
        const path = pathOf(page, "LIVE", records.params)
        const without = yield* Effect.promise(() => nobody.get(path))
        assert.strictEqual(without.status, 303, page.path)
        assert.match(without.headers.get("location") ?? "", /^\/service\/console\/sign-in\?/u)
        const cookie = `__Host-console_session=${"A".repeat(43)}`
        const withForged = yield* Effect.promise(() => forged.get(path, { cookie }))
        assert.strictEqual(withForged.status, 303, page.path)
      }
    }).pipe(Effect.scoped)
  )

  it.live("shows no record of the other environment, and none for an id of another form", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const browser = yield* signedIn(scene, "admin")
      const live = yield* recordsIn(scene, "LIVE")
      // Merchants, operators' sessions and operator actions belong to both environments.
      const scoped = stops.filter(({ page }) => /:(?!merchantId|sessionId|actionId)/u.test(page.path))
      assert.isNotEmpty(scoped)
      for (const { page } of scoped) {
        const got = yield* Effect.promise(() => browser.get(pathOf(page, "TEST", live.params)))
        assert.strictEqual(got.status, 404, page.path)
        assert.notInclude(got.text, live.merchant.id)
      }
      for (const { page } of stops.filter(({ page: { path } }) => path.includes(":"))) {
        const wrong = pathOf(
          page,
          "LIVE",
          Object.fromEntries(Object.keys(live.params).map((name) => [name, "no-such-id"]))
        )
        assert.strictEqual((yield* Effect.promise(() => browser.get(wrong))).status, 404, page.path)
      }
    }).pipe(Effect.scoped)
  )
})

describe("Every list of the console", () => {
  it.live("is a file for the roles that may have it, in which no text is a formula", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const records = yield* recordsIn(scene, "LIVE", "=HYPERLINK(evil)")
      // `Tables.test.ts` covers the CSV export of search results, with a query that matches.
      const lists = stops.filter(({ page }) => page.csv !== undefined && page.path !== "search")
      assert.isAbove(lists.length, 16)
      const admin = yield* signedIn(scene, "admin")
      // A page with pagination is a list, and every list must be available as a CSV export.
      for (const { page } of stops.filter(({ page: { csv } }) => csv === undefined)) {
        const got = yield* Effect.promise(() => admin.get(pathOf(page, "LIVE", records.params)))
        assert.notMatch(got.text, /\d+ shown<\/span>/u, `${page.path} has a list and no file`)
      }
      for (const role of Scene.roles) {
        const browser = yield* signedIn(scene, role)
        for (const { page } of lists) {
          const path = `${pathOf(page, "LIVE", records.params)}?format=csv`
          const got = yield* Effect.promise(() => browser.get(path))
          const may = includesRole(role, page.csv?.role ?? "admin") && includesRole(role, page.role)
          assert.strictEqual(got.status, may ? 200 : 403, `${role}: ${page.path}`)
          expectPrivate(got.headers)
          if (!may) continue
          assert.match(got.headers.get("content-type") ?? "", /^text\/csv/u)
          assert.match(got.headers.get("content-disposition") ?? "", /^attachment; filename="[\w.-]+\.csv"$/u)
          assert.isAbove(got.text.split("\r\n").length, 2, page.path)
          assert.notMatch(got.text, /(?:^|[,"\n])=/u, page.path)
          assert.notInclude(got.text, "ada.obi@example.com", page.path)
          if (["audit", "operators", "settings"].includes(page.path) || page.path.startsWith("merchants")) continue
          const other = yield* Effect.promise(() => browser.get(path.replace("/live/", "/test/")))
          assert.isTrue(other.status === 404 || other.text.split("\r\n").length === 2, `nothing of LIVE: ${page.path}`)
        }
      }
      const merchants = yield* Effect.promise(async () => {
        const browser = visitor(scene.handler)
        await browser.signIn("admin")
        return browser.get("/console/live/merchants?format=csv")
      })
      assert.include(merchants.text, `,'=HYPERLINK(evil),`)
    }).pipe(Effect.scoped)
  )

  it("has no cell that a spreadsheet runs, and numbers stay numbers", () => {
    for (const begin of ["=", "+", "-", "@", "\t", "\r", "\n", " =", "|", "%", "＝", "＋", "－", "＠", "\u00a0="]) {
      const cell = csvCell(`${begin}cmd|'/c calc'!A1`)
      assert.match(cell, /^"?'/u, JSON.stringify(begin))
    }
    assert.strictEqual(csvCell('a "b", c'), '"a ""b"", c"')
    assert.strictEqual(csvCell("x; =cmd|'/c calc'!A1"), `"x; '=cmd|'/c calc'!A1"`)
    assert.strictEqual(csvCell("x\t+1;-2;y"), `"x\t'+1;'-2;y"`)
    assert.strictEqual(csvCell("two\r\nlines"), '"two\r\nlines"')
    for (const number of ["-12.50", "0", "1000.00"]) assert.strictEqual(csvCell(number), number)
    assert.strictEqual(csvCell(undefined), "")
  })
})

describe("Every form of the console", () => {
  it.live(
    "changes nothing unless it comes from a page of the same session, and then leaves one action with the reason",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const browser = yield* signedIn(scene, "admin")
        const other = yield* signedIn(scene, "ada")
        const viewer = yield* signedIn(scene, "viewer")
        const sent = new Set<string>()
        for (const { fill, name, page, prepare } of stops.filter(({ page: { forms } }) => forms !== undefined)) {
          for (const form of Object.keys(page.forms ?? {})) {
            const records = yield* recordsIn(scene, "LIVE")
            if (page.path.endsWith("/review")) records.params.merchantId = (yield* scene.run(Scene.applicant)).id
            yield* prepare(records, browser)
            const path = pathOf(page, "LIVE", records.params)
            const drawn = yield* Effect.promise(() => browser.get(path))
            const found = formsIn(path, drawn.text).find(({ fields }) => fields.form === form)
            // A form that exists only in another state of the records has its own stop, so it is skipped here.
            if (found === undefined) continue
            const where = `${name}: ${form}`
            sent.add(`${page.path} ${form}`)
            const fields: Record<string, string> = { ...found.fields, ...fill?.(records), reason }
            const before = yield* standing(records)
            const { guard: _, ...withoutGuard } = fields
            const otherPage = yield* Effect.promise(() => other.get(path))
            const others = formsIn(path, otherPage.text).find((one) => one.fields.form === form)?.fields.guard ?? ""
            const refused = [
              ["without a token", browser, withoutGuard, {}],
              ["with another session’s token", browser, { ...fields, guard: others }, {}],
              ["from another site", browser, fields, { "sec-fetch-site": "cross-site" }],
              ["from a neighbour", browser, fields, { "sec-fetch-site": "same-site" }],
              ["by another session with this token", other, fields, {}],
              ["as a viewer", viewer, fields, {}],
              ["as another form", browser, { ...fields, form: "other" }, {}]
            ] as const
            for (const [how, by, body, headers] of refused) {
              const answer = yield* Effect.promise(() => by.post(path, body, headers))
              assert.strictEqual(answer.status, 403, `${where} ${how}`)
            }
            for (const short of ["", "too short", "          ", "x".repeat(501)]) {
              const answer = yield* Effect.promise(() => browser.post(path, { ...fields, reason: short }))
              assert.strictEqual(answer.status, 422, `${where}, reason "${short.slice(0, 12)}"`)
              assert.include(answer.text, 'role="alert"')
            }
            const nobody = yield* Effect.promise(() => visitor(scene.handler).post(path, fields))
            assert.strictEqual(nobody.status, 303)
            assert.strictEqual((yield* standing(records)).text, before.text, where)

            const done = yield* Effect.promise(() => browser.post(path, fields))
            const isFile = page.forms?.[form]?.downloads === true
            assert.strictEqual(done.status, isFile ? 200 : 303, where)
            const to = done.headers.get("location") ?? ""
            if (isFile) {
              assert.match(done.headers.get("content-disposition") ?? "", /^attachment; filename="[\w.-]+"$/u, where)
              expectPrivate(done.headers)
            } else assert.match(to, /^\/service\/console\/live\//u)
            const after = yield* standing(records)
            const made = after.actions.filter(({ id }) => !before.actions.some((action) => action.id === id))
            assert.deepStrictEqual(
              made.map(({ actor, reason: kept }) => [actor, kept]),
              [["admin", reason]],
              where
            )
            if (isFile) continue
            const shown = yield* Effect.promise(() => browser.get(to))
            assert.strictEqual(shown.status, 200, to)
            assert.include(shown.text, page.forms?.[form]?.done ?? "no words", where)
          }
        }
        const all = stops.flatMap(({ page }) => Object.keys(page.forms ?? {}).map((form) => `${page.path} ${form}`))
        assert.deepStrictEqual([...sent].toSorted(), [...new Set(all)].toSorted())
      }).pipe(Effect.scoped)
  )
})
