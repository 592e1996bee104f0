import path from "node:path"
import { expect, it } from "vitest"
import { files, read } from "../architecture/Workspace.js"

/** A block of code in a page. `info` is the text after the opening fence. */
interface Block {
  readonly page: string
  readonly info: string
  readonly code: string
}

const blocksOf = (page: string): ReadonlyArray<Block> =>
  [...read(page).matchAll(/^```(?<info>[^\n]*)\n(?<code>.*?)^```$/gmsu)].map(({ groups }) => ({
    page,
    info: groups?.info ?? "",
    code: groups?.code ?? ""
  }))

const pages = ["docs/{embedding,merchants,platform}/*.md", "packages/{client,verifier}/README.md", "sdks/*/README.md"]

const blocks = files.filter((file) => pages.some((glob) => path.matchesGlob(file, glob))).flatMap(blocksOf)

const makesReceiver = /\b(?:createHandler|NewReceiver|new Receiver|surety\.Receiver)\(/u

it("every receiver in a page for merchants says why it refuses a delivery, as under a wrong secret", () => {
  const receivers = blocks.filter(({ code }) => makesReceiver.test(code))
  expect(receivers.length).toBeGreaterThanOrEqual(8)
  expect(receivers.filter(({ code }) => !/on_?refused/iu.test(code)).map(({ page }) => page)).toEqual([])
})

it("every program that the merchants' pages start has a port of its own, so that all can run at once", () => {
  const ports = blocks
    .filter(({ info, page }) => page.startsWith("docs/merchants/") && info.startsWith("sh start "))
    .flatMap(({ code }) => [...code.matchAll(/\bPORT=(?<port>\d+)/gu)].map(({ groups }) => groups?.port))
  expect(ports.length).toBeGreaterThanOrEqual(3)
  expect(new Set(ports).size).toBe(ports.length)
})
