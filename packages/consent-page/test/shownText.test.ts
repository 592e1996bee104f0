import { assert, describe, it } from "@effect/vitest"
import { defaultTheme } from "@surety/consent-page/ConsentPageSettings"
import { stylesheet } from "@surety/consent-page/look/stylesheet"
import { html } from "@surety/page-kit/Html"
import { isolated, plainText, websiteHost } from "@surety/page-kit/shownText"

describe("Text of others", () => {
  it("is escaped, in text and in attributes, with any content", () => {
    const evil = `"><script>'&`
    assert.strictEqual(
      String(html`<p title="${evil}">${evil}</p>`),
      `<p title="&quot;&gt;&lt;script&gt;&#39;&amp;">&quot;&gt;&lt;script&gt;&#39;&amp;</p>`
    )
    assert.strictEqual(String(html`${[html`<b>`, "<b>", 1, undefined, false]}`), "<b>&lt;b&gt;1")
  })

  it("loses what turns it around or hides in it, and keeps what scripts need", () => {
    assert.strictEqual(plainText("\u202Eevil\u2066\u200B\u0000\u00AD\u{E0041} Ltd\r\n\t", 80), "evil Ltd")
    assert.strictEqual(plainText("क्\u200Dष نمی\u200Cخواهم", 80), "क्\u200Dष نمی\u200Cخواهم")
  })

  it("is clipped between characters, never within one", () => {
    const [family, kiss] = ["👩‍👩‍👧‍👦", "👩🏽‍❤️‍💋‍👨🏿"]
    assert.strictEqual(plainText(family + kiss + family, 2), `${family}${kiss}…`)
    assert.strictEqual(plainText("र्त्स्न्यां", 5), "र्त्स्न्यां")
    assert.strictEqual(plainText("abc", 3), "abc")
  })

  it("piles up neither marks nor joined characters", () => {
    assert.strictEqual(plainText(`e${"\u0302\u0316".repeat(50)}`, 5).length <= 6, true)
    assert.strictEqual(plainText(`x${"\u0316\u200d".repeat(50)}y`, 5), "x\u0316\u200d\u0316y")
    const joined = plainText("👩\u200d".repeat(50), 5)
    assert.isAtMost([...joined].length, 16)
    assert.isFalse(joined.endsWith("\u200d"))
  })

  it("is kept apart from the text around it, and is never nothing", () => {
    assert.strictEqual(String(isolated("متجر")), "<bdi>متجر</bdi>")
    assert.strictEqual(String(isolated("\u200B\u202E")), "<bdi>—</bdi>")
  })

  it("as a website is shown by its host alone, look-alike letters spelt out", () => {
    assert.strictEqual(websiteHost("https://user:pw@shop.example:8443/path?q"), "shop.example:8443")
    assert.strictEqual(websiteHost("https://аpple.example"), "xn--pple-43d.example")
    assert.strictEqual(websiteHost("javascript:alert(1)"), undefined)
    assert.strictEqual(websiteHost("nonsense"), undefined)
    assert.strictEqual(websiteHost(undefined), undefined)
  })
})

describe("A theme", () => {
  it("sets values and nothing else", () => {
    assert.include(stylesheet({ ...defaultTheme, accent: "#5B21B6" }), "--accent:#5b21b6")
    for (const accent of ["red}body{display:none", "url(//evil.example)", "red;background:blue", ""]) {
      assert.throws(() => stylesheet({ ...defaultTheme, accent }), /accent/u)
    }
  })
})
