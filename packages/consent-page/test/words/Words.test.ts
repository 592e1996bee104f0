import { assert, describe, it } from "@effect/vitest"
import { type Catalog, englishCatalog, missingMessages, withMessages } from "@surety/consent-page/words/Catalog"
import { english } from "@surety/consent-page/words/english"
import { hausa } from "@surety/consent-page/words/hausa"
import { igbo } from "@surety/consent-page/words/igbo"
import { nigerianPidgin } from "@surety/consent-page/words/nigerianPidgin"
import { make } from "@surety/consent-page/words/Words"
import { yoruba } from "@surety/consent-page/words/yoruba"
import { html } from "@surety/page-kit/Html"
import type { Message } from "@surety/page-kit/words/Message"
import { DateTime } from "effect"

const drafts = [nigerianPidgin, hausa, yoruba, igbo]

const namesIn = (message: Message): ReadonlyArray<string> =>
  (typeof message === "string" ? [message] : Object.values(message)).flatMap((form) =>
    [...form.matchAll(/\{(\w+)\}/gu)].map((match) => match[1] ?? "")
  )

const zone = "Africa/Lagos"
const words = make(englishCatalog, zone)

describe("A catalog", () => {
  it("of another language has only messages that there are, with the same values in them", () => {
    const known: Readonly<Record<string, Message>> = english
    for (const { language, messages } of drafts) {
      for (const [key, message = ""] of Object.entries(messages)) {
        const original = known[key]
        assert.isDefined(original, key)
        if (original !== undefined)
          assert.sameMembers([...new Set(namesIn(message))], [...new Set(namesIn(original))], `${language}: ${key}`)
      }
    }
  })

  it("is complete: one that is only begun does not compile, and a page does not start with it", () => {
    // @ts-expect-error most messages are missing
    const begun: Catalog = { ...nigerianPidgin, messages: { "ask.share": "Share am" } }
    const missing = missingMessages(begun)
    assert.include(missing, "ask.nothing")
    assert.notInclude(missing, "ask.share")
    for (const catalog of [englishCatalog, ...drafts]) assert.deepStrictEqual(missingMessages(catalog), [])
  })

  it("that no speaker has read says so", () => {
    for (const { review, version } of drafts) {
      assert.strictEqual(review, "needed")
      assert.match(version, /draft/u)
    }
  })

  it("is written in letters that every browser shows alike, and says a yes and a no in different words", () => {
    for (const { language, messages } of [englishCatalog, ...drafts]) {
      const texts = Object.values(messages).flatMap((message = "") =>
        typeof message === "string" ? [message] : Object.values(message)
      )
      for (const text of texts) {
        assert.strictEqual(text, text.normalize("NFC"), `${language}: composed letters`)
        assert.notMatch(text, /['`´]|\s{2}|^\s|\s$/u, `${language}: typographic apostrophes, no stray spaces`)
      }
      const pairs = [
        ["ask.share", "ask.nothing"],
        ["value.yes", "value.no"],
        ["value.VERIFIED", "value.UNVERIFIED"],
        ["decided.approvedTitle", "decided.deniedTitle"],
        ["manage.revoke", "ask.share"]
      ] as const
      for (const [one, other] of pairs) assert.notDeepEqual(messages[one], messages[other], `${language}: ${one}`)
      const values = Object.entries(messages).filter(([key]) => key.startsWith("field."))
      assert.lengthOf(new Set(values.map(([, label]) => label)), values.length, `${language}: each field has its label`)
    }
  })

  it("has the plural forms of its language, and no others", () => {
    for (const { language, messages } of [englishCatalog, ...drafts]) {
      const forms = new Set<string>(new Intl.PluralRules(language).resolvedOptions().pluralCategories)
      for (const [key, message] of Object.entries(messages)) {
        if (typeof message === "string" || message === undefined) continue
        assert.deepStrictEqual(new Set(Object.keys(message)), forms, `${language}: ${key}`)
      }
    }
    assert.strictEqual(make(hausa, zone).plain("ask.long.days", { count: 1 }), "gobe")
    assert.strictEqual(make(yoruba, zone).plain("ask.long.days", { count: 1 }), "ọjọ́ 1 sí òní")
  })

  it("tells days as its readers write them", () => {
    const at = DateTime.makeUnsafe("2026-12-31T23:30:00Z")
    assert.strictEqual(make(hausa, zone).dayText(at), "1 Janairu, 2027")
    assert.strictEqual(make(yoruba, zone).dayText(at), "1 January 2027")
    assert.strictEqual(make(igbo, zone).dayText(at), "1 Jenụwarị 2027")
    assert.match(String(make(igbo, zone).moment(at)), />1 Jenụwarị 2027 na 00:30<\/time>, oge Lagos$/u)
  })
})

describe("Words", () => {
  it("choose the form that the number asks for, by each language's own rules", () => {
    assert.strictEqual(words.plain("manage.count", { count: 1 }), "1 business. You can stop it at any time.")
    assert.strictEqual(words.plain("manage.count", { count: 0 }), "0 businesses. You can stop them at any time.")
    const arabic = withMessages({ ...englishCatalog, language: "ar", locale: "ar" }, "2.0-ar", {
      "manage.count": { zero: "none", one: "one", two: "two", few: "few {count}", many: "many", other: "other" }
    })
    const forms = [0, 1, 2, 3, 11, 100].map((count) => make(arabic, zone).plain("manage.count", { count }))
    assert.deepStrictEqual(forms, ["none", "one", "two", "few 3", "many", "other"])
  })

  it("escape what stands in a message, and show a value that was forgotten by its name", () => {
    const title = words.text("ask.title", { merchant: "<b>" })
    assert.strictEqual(String(title), "&lt;b&gt; wants to see your details")
    assert.include(String(words.text("ask.title", { merchant: html`<b>x</b>` })), "<b>x</b>")
    assert.include(String(words.text("ask.title")), "{merchant}")
  })

  it("call a host's own field by the host's word, else by its name", () => {
    assert.strictEqual(String(words.field("loyalty_tier")), "Loyalty tier")
    const own = make(withMessages(englishCatalog, "2.0-own", { "field.loyalty_tier": "Your rank" }), zone)
    assert.strictEqual(String(own.field("loyalty_tier")), "Your rank")
    assert.strictEqual(own.catalog.version, "2.0-own")
  })

  it("tell times as they are where the person is", () => {
    const at = DateTime.makeUnsafe("2026-12-31T23:30:00Z")
    assert.match(String(words.moment(at)), />1 January 2027 at 00:30<\/time>, Lagos time$/u)
    assert.match(String(words.time(at)), />00:30<\/time>, Lagos time$/u)
    assert.strictEqual(String(words.day(at)), '<time datetime="2026-12-31T23:30:00.000Z">1 January 2027</time>')
    assert.strictEqual(words.value("country", "NG"), "Nigeria")
    assert.strictEqual(words.value("country", "not a code"), "not a code")
  })
})
