import { expect, it, vi } from "vitest"
import { isSignedBy } from "../../src/signature/isSignedBy.js"

const signed = { prefix: "", body: new Uint8Array(1), encoding: "hex" } as const

/** Makes a string that counts how often its characters are read. */
const watched = (text: string) => {
  const charCodeAt = vi.fn((index: number) => text.charCodeAt(index))
  return { text: Object.assign(Object(text), { charCodeAt }) as string, charCodeAt }
}

it.each([
  ["first", ["aaaa", "bbbb", "cccc"]],
  ["last", ["cccc", "bbbb", "aaaa"]],
  ["never", ["bbbb", "cccc", "dddd"]]
])(
  "looks at every character of every signature for every key, when the one that fits comes %s",
  async (when, given) => {
    const signatures = given.map(watched)
    const keys = [() => "aaaa", () => "zzzz"]
    const found = await isSignedBy(
      keys,
      signed,
      signatures.map(({ text }) => text)
    )
    expect(found).toBe(when !== "never")
    expect(signatures.map(({ charCodeAt }) => charCodeAt.mock.calls.length)).toEqual([8, 8, 8])
  }
)

it("finds nothing without a signature", async () => {
  expect(await isSignedBy([() => "aaaa"], signed, [])).toBe(false)
  expect(await isSignedBy([() => "aaaa"], signed, [""])).toBe(false)
})
