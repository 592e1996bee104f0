import { assert, describe, it } from "@effect/vitest"
import { chooseCatalog } from "@surety/consent-page/route/PageKit"
import { englishCatalog } from "@surety/consent-page/words/Catalog"
import { nigerianPidgin } from "@surety/consent-page/words/nigerianPidgin"

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
