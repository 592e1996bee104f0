import { assert, describe, it } from "@effect/vitest"
import { loggableCause } from "@surety/core/host/loggableCause"
import { shapeOf } from "@surety/core/host/shapeOf"

const textOf = (cause: unknown, given: ReadonlyArray<string> = []): string => {
  const { cause: inner, stack } = loggableCause(cause, given)
  return inner === undefined ? String(stack) : `${stack}\n${textOf(inner, given)}`
}

describe("What a host's part threw, in the log", () => {
  it("has name, message, stack and inner causes, and no other property", () => {
    const inner = Object.assign(new RangeError("pool is empty"), { password: "hunter2" })
    const text = textOf(new TypeError("wallet down", { cause: inner }))
    assert.match(text, /^TypeError: wallet down\n +at .+\nRangeError: pool is empty\n +at /s)
    assert.notInclude(text, "hunter2")
  })

  it("masks what the part was called with, however it quotes it", () => {
    const link = "https://pay.example/consent/abc-DEF_(1)?x=ä"
    const quotes = [link, link.toUpperCase(), encodeURIComponent(link), JSON.stringify({ link }), `<${link}>`]
    for (const quote of quotes) {
      const text = textOf(new Error(`no way to ${quote}`), [link, "user-1", "Bo"])
      assert.notMatch(text, /consent\W+abc/i)
      assert.include(text, "<redacted>")
    }
    assert.match(textOf(new Error("user-1, Bo and Bob"), ["user-1", "Bo"]), /<redacted>, <redacted> and Bob/)
  })

  it("masks a long value, and the part of a value that is left of a long text", () => {
    const cookie = "mood=calm; "
    for (const [value, before] of [
      [cookie.repeat(250), ""],
      [cookie.repeat(1_000), ""],
      [cookie.repeat(136), cookie.repeat(272)],
      [`ada ${cookie.repeat(10)}`, "x ".repeat(1_990)]
    ] as const) {
      const message = before.replaceAll(cookie.repeat(136), value)
      const text = textOf(new Error(`${message}${value} and so on`), [value])
      assert.notInclude(text, "mood")
      assert.notInclude(text, "ada")
    }
  })

  it("masks values that overlap, and a value that begins with another where a long text was cut", () => {
    assert.strictEqual(loggableCause(new Error("at abcdefghi"), ["abcdef", "defghi"]).message, "at <redacted>")
    const filler = "mood=calm; ".repeat(362)
    const name = "Ada Obi-Smith of Yaba"
    const { message } = loggableCause(new Error(`${filler}${name}`), [filler, "Ada", name])
    assert.strictEqual(message, "<redacted><redacted>")
  })

  it("masks a value with spaces in a url's query", () => {
    const query = new URLSearchParams({ name: "Ada Obi" })
    assert.strictEqual(loggableCause(new Error(`GET /?${query}`), ["Ada Obi"]).message, "GET /?name=<redacted>")
  })

  it("masks numbers of persons and phones, keys and pictures that were not given", () => {
    for (const secret of ["22222222222", "+234 803 123 4567", "0803-123-4567", "c2Vj".repeat(30)]) {
      assert.notInclude(textOf(new Error(`got ${secret}!`)), secret)
    }
    assert.include(textOf(new Error("connect ECONNREFUSED 10.0.0.7:5432")), "10.0.0.7:5432")
  })

  it("is short, for any thrown value", () => {
    assert.isBelow(textOf(new Error("x y ".repeat(1_000_000))).length, 6_000)
    assert.match(textOf("out of order"), /^Error: out of order$/)
    assert.match(textOf(undefined), /^Error: undefined was thrown$/)
    assert.match(textOf({ code: 7, person: "Ada" }), /^Error: an object \{ code: number, person: string \} was thrown$/)
    const ring: { cause?: unknown } = new Error("ring")
    ring.cause = ring
    assert.lengthOf(textOf(ring).match(/Error: ring/g) ?? [], 5)
    const hostile = new Proxy(new Error("x"), {
      get: () => {
        throw new Error("hidden")
      }
    })
    assert.match(textOf(hostile), /cannot be read/)
  })
})

describe("The shape of a value", () => {
  it("has kinds and names of fields, and no value", () => {
    const value = { credited: false, error: "frozen", "2222222222x 1": 1, at: new Date(0), list: [1], nothing: null }
    assert.strictEqual(
      shapeOf(value),
      "an object { credited: boolean, error: string, …: number, at: object, list: array, nothing: null }"
    )
    assert.strictEqual(shapeOf(new Map([["ada", 1]])), "an object Map")
    assert.strictEqual(shapeOf("frozen"), "a string")
    assert.strictEqual(shapeOf([1, 2]), "an array of 2")
    assert.strictEqual(shapeOf({}), "an empty object")
  })
})
