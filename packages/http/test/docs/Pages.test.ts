import { faultCodes } from "@surety/core/input/InputFault"
import { errorsDocument } from "@surety/http/docs/ErrorsDocument"
import { problemCodes } from "@surety/http/problem/ProblemCode"
import { describe, expect, it } from "vitest"
import { makeInterface } from "../Interface.js"

const api = makeInterface()

const scriptsIn = (page: string): ReadonlyArray<string> =>
  Array.from(page.matchAll(/<script src="([^"]+)"/g), ([, source = ""]) => `/${source}`)

describe("GET /docs", () => {
  it("is a page that has all it needs, and may speak with this server alone", async () => {
    const answer = await api.send("GET", "/docs")
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toContain("text/html")
    const [, starting = ""] = scriptsIn(answer.text)
    const { text } = await api.send("GET", starting)
    expect(text).toContain("Scalar.createApiReference")
    expect(text).toContain("/v1/refunds")
    expect(answer.text).not.toMatch(/<script(?! src="docs\/assets\/)|<style| on\w+=/)
    expect(answer.text).not.toMatch(/<(script|img|iframe|link)[^>]+(src|href)="?(https?:)?\/\//)
    const policy = answer.headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'self' 'unsafe-inline' data: blob:;")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("connect-src 'self' https://pay.example;")
    expect(policy.match(/https?:\/\/[^ ;]+/g)).toEqual(["https://pay.example"])
  })

  it("asks for no fonts, no telemetry, and no developer tools", async () => {
    const [, starting = ""] = scriptsIn((await api.send("GET", "/docs")).text)
    const { text } = await api.send("GET", starting)
    const options = text.slice(0, text.indexOf('"content":'))
    expect(options).toContain('"withDefaultFonts":false')
    expect(options).toContain('"telemetry":false')
    expect(options).toContain('"showDeveloperTools":"never"')
  })
})

describe("GET /docs/errors", () => {
  it("explains every code where its problem's type leads", async () => {
    const answer = await api.send("GET", "/docs/errors")
    expect(answer.headers.get("content-type")).toContain("text/html")
    for (const code of [...Object.keys(problemCodes), ...Object.keys(faultCodes)]) {
      expect(answer.text).toContain(`id="${code}"`)
    }
    expect(answer.text).not.toMatch(/https?:\/\//)
  })
})

describe("without documents", () => {
  it("none of them is there", async () => {
    const plain = makeInterface({ docs: false })
    for (const path of ["/docs", "/docs/errors", "/openapi.json"]) {
      expect((await plain.send("GET", path)).body).toMatchObject({ status: 404, code: "route_not_found" })
      expect((await plain.send("POST", path)).body.code).toBe("route_not_found")
    }
  })
})

describe("docs/errors.md", () => {
  it("is made of the table of codes", async () => {
    for (const code of [...Object.keys(problemCodes), ...Object.keys(faultCodes)]) {
      expect(errorsDocument).toContain(`| \`${code}\` |`)
    }
    await expect(errorsDocument).toMatchFileSnapshot("../../../../docs/errors.md")
  })
})
