import { assert, describe, it } from "@effect/vitest"
import { html } from "@surety/consent-page/Html"
import {
  type Catalog,
  englishCatalog,
  type Message,
  missingMessages,
  withMessages
} from "@surety/consent-page/words/Catalog"
import { english } from "@surety/consent-page/words/english"
import { nigerianPidgin } from "@surety/consent-page/words/nigerianPidgin"
import { chooseCatalog, make } from "@surety/consent-page/words/Words"
import { DateTime } from "effect"

const namesIn = (message: Message): ReadonlyArray<string> =>
  (typeof message === "string" ? [message] : Object.values(message)).flatMap((form) =>
    [...form.matchAll(/\{(\w+)\}/gu)].map((match) => match[1] ?? "")
  )

const zone = "Africa/Lagos"
const words = make(englishCatalog, zone)

describe("A catalog", () => {
  it("of another language has only messages that there are, with the same values in them", () => {
    const known: Readonly<Record<string, Message>> = english
    for (const [key, message = ""] of Object.entries(nigerianPidgin.messages)) {
      const original = known[key]
      assert.isDefined(original, key)
      if (original !== undefined)
        assert.sameMembers([...new Set(namesIn(message))], [...new Set(namesIn(original))], key)
    }
  })

  it("is complete: one that is only begun does not compile, and a page does not start with it", () => {
    // @ts-expect-error most messages are missing
    const begun: Catalog = { ...nigerianPidgin, messages: { "ask.share": "Share am" } }
    const missing = missingMessages(begun)
    assert.include(missing, "ask.nothing")
    assert.notInclude(missing, "ask.share")
    for (const catalog of [englishCatalog, nigerianPidgin]) assert.deepStrictEqual(missingMessages(catalog), [])
  })

  it("that no speaker has read says so", () => {
    assert.strictEqual(nigerianPidgin.review, "needed")
    assert.match(nigerianPidgin.version, /draft/u)
  })
})

describe("Words", () => {
  it("choose the form that the number asks for, by each language's own rules", () => {
    assert.strictEqual(words.plain("manage.count", { count: 1 }), "1 business. You can stop it at any time.")
    assert.strictEqual(words.plain("manage.count", { count: 0 }), "0 businesses. You can stop them at any time.")
    const arabic = withMessages(
      { ...englishCatalog, language: "ar", locale: "ar" },
      {
        "manage.count": { zero: "none", one: "one", two: "two", few: "few {count}", many: "many", other: "other" }
      }
    )
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
    const own = make(withMessages(englishCatalog, { "field.loyalty_tier": "Your rank" }), zone)
    assert.strictEqual(String(own.field("loyalty_tier")), "Your rank")
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

describe("The language of a page", () => {
  const offered = [englishCatalog, nigerianPidgin] as const
  const chosen = (asked: string | undefined, accepted: string | undefined) =>
    chooseCatalog(offered, asked, accepted).language

  it("is the one that was asked for, else the first that the browser's user prefers, else the host's first", () => {
    assert.strictEqual(chosen("pcm", "en"), "pcm")
    assert.strictEqual(chosen("xx", "pcm"), "en", "one that is not offered was asked for")
    assert.strictEqual(chosen(undefined, "fr, en;q=0.3, pcm-NG;q=0.8"), "pcm")
    assert.strictEqual(chosen(undefined, "pcm;q=0, en"), "en")
    assert.strictEqual(chosen(undefined, undefined), "en")
    assert.strictEqual(chosen(undefined, ";;q=,,=;".repeat(1_000)), "en")
  })
})
