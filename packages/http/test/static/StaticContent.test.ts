import { brotliDecompressSync, gunzipSync } from "node:zlib"
import * as NodeCompression from "@surety/http/node/NodeCompression"
import { describe, expect, it } from "vitest"
import { makeInterface, publicUrl } from "../Interface.js"

const plain = makeInterface()
const api = makeInterface({}, NodeCompression.layerLazy)

type Interface = ReturnType<typeof makeInterface>

const get = (path: string, headers: Readonly<Record<string, string>> = {}, of: Interface = api) =>
  of.bytes(path, { headers })

const scriptsIn = (page: string): ReadonlyArray<string> =>
  Array.from(page.matchAll(/<script src="([^"]+)"/g), ([, source = ""]) => `/${source}`)

const decoders = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes: Uint8Array) => Buffer.from(bytes)
} as const

const staticPaths = async (): Promise<ReadonlyArray<string>> => [
  "/docs",
  "/docs/errors",
  "/openapi.json",
  ...scriptsIn((await get("/docs")).text())
]

describe("The documents", () => {
  it("cost less than 1.2 MB on the wire in any coding that a browser knows, page and scripts together", async () => {
    for (const coding of ["br", "gzip"]) {
      const page = await get("/docs", { "accept-encoding": coding })
      let bytes = page.bytes.length
      const scripts = scriptsIn((await get("/docs")).text())
      expect(scripts).toHaveLength(2)
      for (const script of scripts) {
        const answer = await get(script, { "accept-encoding": coding })
        expect(answer.status).toBe(200)
        expect(answer.headers.get("content-encoding")).toBe(coding)
        bytes += answer.bytes.length
      }
      expect(bytes).toBeLessThan(1_200_000)
    }
  })

  it("are the same content in every coding, each with a strong tag of its own and Vary", async () => {
    for (const path of await staticPaths()) {
      const tags = new Set<string>()
      const contents = new Set<string>()
      for (const [coding, decode] of Object.entries(decoders)) {
        const answer = await get(path, { "accept-encoding": coding })
        const etag = answer.headers.get("etag") ?? ""
        expect(etag).toMatch(/^"[\w-]+"$/)
        tags.add(etag)
        contents.add(decode(answer.bytes).toString())
        if (coding === "identity") expect(answer.headers.get("content-encoding")).toBeNull()
        expect(answer.headers.get("vary")).toBe("accept-encoding")
      }
      expect([path, tags.size, contents.size]).toEqual([path, 3, 1])
    }
  })

  it("are not sent again to who has them", async () => {
    for (const path of await staticPaths()) {
      const first = await get(path, { "accept-encoding": "br" })
      const etag = first.headers.get("etag") ?? ""
      for (const named of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const again = await get(path, { "accept-encoding": "br", "if-none-match": named })
        expect([again.status, again.bytes.length, again.headers.get("etag")]).toEqual([304, 0, etag])
        expect(again.headers.get("vary")).toBe(first.headers.get("vary"))
        expect(again.headers.get("cache-control")).toBe(first.headers.get("cache-control"))
      }
      const other = await get(path, { "accept-encoding": "br", "if-none-match": '"other"' })
      expect(other.status).toBe(200)
    }
  })

  it("have immutable scripts, named after their content, and pages that are asked for again", async () => {
    const [page, , , ...scripts] = await staticPaths()
    expect((await get(page ?? "")).headers.get("cache-control")).toBe("no-cache")
    for (const script of scripts) {
      expect(script).toMatch(/^\/docs\/assets\/[a-z]+-[0-9a-f]{16}\.js$/)
      expect((await get(script)).headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    }
    const unknown = await api.send("GET", "/docs/assets/reference-0000000000000000.js")
    expect(unknown.body).toMatchObject({ status: 404, code: "route_not_found" })
  })

  it("are complete if nothing compresses", async () => {
    const answer = await get("/openapi.json", { "accept-encoding": "br, gzip" }, plain)
    expect(answer.headers.get("content-encoding")).toBeNull()
    expect(JSON.parse(answer.text()).servers).toEqual([{ url: publicUrl }])
  })
})
