import { type GuideSite, Guides } from "@surety/http/docs/GuideSite"
import { Layer } from "effect"
import { describe, expect, it } from "vitest"
import { makeInterface, publicUrl } from "../Interface.js"

const page = (title: string): string => `<!doctype html><title>${title}</title><code>BASE=%BASE_URL%</code>`

const site: GuideSite = {
  pages: [
    { slug: "", html: page("Home") },
    { slug: "refunds", html: page("Refunds") },
    { slug: "errors", html: page("Errors") }
  ],
  welcome: page("Welcome"),
  assets: [{ name: "guides-0123456789abcdef.css", contentType: "text/css", text: "body{}" }],
  samples: { "refunds.create": [{ lang: "shell", label: "curl", source: "curl %BASE_URL%/v1/refunds" }] }
}

const guides = Layer.succeed(Guides, site)
const api = makeInterface({ welcome: true }, guides)

const inBrowser = { headers: { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" } }

describe("The guides", () => {
  it("are pages with the deployment's own address", async () => {
    for (const [path, title] of [
      ["/docs", "Home"],
      ["/docs/refunds", "Refunds"],
      ["/docs/errors", "Errors"]
    ]) {
      const answer = await api.send("GET", path ?? "")
      expect(answer.status).toBe(200)
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
      expect(answer.text).toContain(`<title>${title}</title>`)
      expect(answer.text).toContain(`BASE=${publicUrl}<`)
      expect(answer.text).not.toContain("%BASE_URL%")
    }
  })

  it("run nothing that is inline, and load nothing from elsewhere", async () => {
    const { headers } = await api.send("GET", "/docs/refunds")
    const policy = headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("referrer-policy")).toBe("no-referrer")
  })

  it("are revalidated, and their files are cached indefinitely", async () => {
    const { headers } = await api.send("GET", "/docs/refunds")
    expect(headers.get("cache-control")).toBe("no-cache")
    const tag = headers.get("etag") ?? ""
    expect((await api.send("GET", "/docs/refunds", { headers: { "if-none-match": tag } })).status).toBe(304)
    const file = await api.send("GET", "/docs/assets/guides-0123456789abcdef.css")
    expect([file.status, file.text]).toEqual([200, "body{}"])
    expect(file.headers.get("cache-control")).toContain("immutable")
  })

  it("escape an address that is not plain", async () => {
    const odd = makeInterface({ publicUrl: `https://pay.example/a"><script>&` }, guides)
    const { text } = await odd.send("GET", "/docs")
    expect(text).toContain("BASE=https://pay.example/a&quot;&gt;&lt;script&gt;&amp;<")
  })

  it("exist where they exist, with GET alone", async () => {
    expect((await api.send("GET", "/docs/nothing")).body.code).toBe("route_not_found")
    expect((await api.send("POST", "/docs/nothing")).body.code).toBe("route_not_found")
    const posted = await api.send("POST", "/docs/refunds")
    expect(posted.body.code).toBe("method_not_allowed")
    expect(posted.headers.get("allow")).toBe("GET, HEAD")
    expect((await api.send("HEAD", "/docs/refunds")).status).toBe(200)
  })

  it("stand below the base path", async () => {
    const below = makeInterface({ basePath: "/pay", welcome: true }, guides)
    expect((await below.send("GET", "/pay/docs/refunds")).status).toBe(200)
    expect((await below.send("GET", "/docs/refunds")).status).toBe(404)
    expect((await below.send("GET", "/pay", inBrowser)).text).toContain("Welcome")
    expect((await below.send("GET", "/", inBrowser)).body.code).toBe("route_not_found")
  })

  it("are switched off with the documents", async () => {
    const plain = makeInterface({ docs: false, welcome: true }, guides)
    for (const path of ["/", "/docs", "/docs/refunds", "/docs/reference", "/openapi/merchant.json"]) {
      expect((await plain.send("GET", path, inBrowser)).body.code).toBe("route_not_found")
      expect((await plain.send("POST", path)).body.code).toBe("route_not_found")
    }
  })
})

describe("GET /docs/reference", () => {
  it("shows the guides' samples, with the deployment's own address", async () => {
    const { text } = await api.send("GET", "/docs/reference")
    const start = /<script src="(assets\/start-[^"]+)"/.exec(text)?.[1]
    const script = (await api.send("GET", `/docs/${start}`)).text
    expect(script).toContain(`"source":"curl ${publicUrl}/v1/refunds"`)
    expect(script).toContain('"hiddenClients":true')
  })

  it("loads its scripts from itself alone", async () => {
    const { headers, text } = await api.send("GET", "/docs/reference")
    expect(text).not.toMatch(/<script(?! src="assets\/)|<style| on\w+=/)
    expect(headers.get("content-security-policy")).toContain("script-src 'self';")
  })
})

describe("GET /", () => {
  it("welcomes a browser", async () => {
    const answer = await api.send("GET", "/", inBrowser)
    expect(answer.status).toBe(200)
    expect(answer.text).toContain("Welcome")
    expect(answer.text).toContain(publicUrl)
    expect(answer.headers.get("vary")).toContain("accept")
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'")
  })

  it.each([undefined, "*/*", "application/json", "text/html;q=0", "application/problem+json, text/*;q=0.5"])(
    "answers a program that accepts %s with the problem of any other path",
    async (accept) => {
      const answer = await api.send("GET", "/", { headers: accept === undefined ? {} : { accept } })
      expect(answer.body).toMatchObject({ status: 404, code: "route_not_found", instance: "/" })
      expect(answer.headers.get("vary")).toBe("accept")
    }
  )

  it("is a host's own, unless the deployment asks for it", async () => {
    const hosted = makeInterface({}, guides)
    expect((await hosted.send("GET", "/", inBrowser)).body.code).toBe("route_not_found")
    expect((await api.send("POST", "/", inBrowser)).body.code).toBe("route_not_found")
  })
})
