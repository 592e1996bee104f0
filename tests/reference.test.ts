import { readdirSync } from "node:fs"
import { expect, it } from "vitest"
import { ensureBuilt } from "./installed/InstalledPackage.js"
import { callTypesOf } from "./reference/CallTypes.js"
import { declarationsOf } from "./reference/Declarations.js"
import { referencePages } from "./reference/Reference.js"

// Builds embed first, since the types of its calls come from the compiler's declarations.
await ensureBuilt()
const pages = await referencePages()

it.each(pages)("docs/reference/$file says what the sources say", async ({ file, text }) => {
  await expect(text).toMatchFileSnapshot(`../docs/reference/${file}`)
})

it("docs/reference has no page of what is gone", () => {
  const made = pages.map(({ file }) => file)
  const there = readdirSync(new URL("../docs/reference", import.meta.url))
  expect(there.filter((file) => !made.includes(file))).toEqual([])
})

const only = (source: string) => {
  const [declaration] = declarationsOf("a.ts", source).own
  return declaration
}

it("shows a declaration without its body, under its docstring", () => {
  expect(only("/** What a. */\nexport function a(b: string): number { return 1 }")).toMatchObject({
    name: "a",
    docs: "What a.",
    code: "export function a(b: string): number"
  })
  expect(only("export const a = (b: string): number => { return 1 }")?.code).toBe(
    "export const a = (b: string): number"
  )
  expect(only("export const a: () => number = () => 1")?.code).toBe("export const a: () => number")
  expect(only("export const a = Effect.fn('a')(function* (b: string) { yield* b })")?.code).toBe(
    "export const a = Effect.fn('a')(function* (b: string)"
  )
  expect(only("export class A extends B<A>()('A') { c() { return 1 } }")?.code).toBe(
    "export class A extends B<A>()('A')"
  )
  expect(only("export interface A { /** b */ readonly b: string }")?.code).toContain("/** b */ readonly b: string")
})

it("takes no other comment for a docstring, and an example for code", () => {
  expect(only("/** Of none. */\nconst b = 1\nexport const a = b")?.docs).toBe("")
  expect(only("// not one\nexport const a = 1")?.docs).toBe("")
  expect(only("/**\n * What a.\n *\n * @example\n * a()\n */\nexport const a = 1")?.docs).toBe(
    "What a.\n\n```ts\na()\n```"
  )
})

it("finds the calls of a group, with what they take", () => {
  const source = "export const a = (run: Run) => ({\n /** Does b. */\n b: call(run, Schema.String, () => 1)\n})"
  expect(only(source)?.members).toEqual([{ name: "b", docs: "Does b.", input: "Schema.String" }])
})

it("shows what a call takes, returns and fails with, without the paths of types", () => {
  const source = `export declare const a: (run: Run) => {
    b: (given: { readonly c?: string; }) => Promise<import("../O.js").Outcome<{
        readonly d: number;
    }, import("../O.js").F | import("@surety/core/E").E>>;
    e: () => Promise<Outcome<string[], F>>;
}`
  expect(callTypesOf("a.d.ts", source)).toEqual([
    { room: "a", call: "b", takes: "{ c?: string }", returns: "{\n  d: number\n}", errors: ["E", "F"] },
    { room: "a", call: "e", takes: "", returns: "string[]", errors: ["F"] }
  ])
})
