import { fieldNamesOf } from "@surety/http/form/Surplus"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"

type Nested = string | ReadonlyArray<Open>
type Open = unknown

/** `Nested` and `Open` refer to each other through lists. Only `Open` accepts any value. */
const Nested: Schema.Codec<Nested> = Schema.Union([Schema.Array(Schema.suspend(() => Open)), Schema.String])
const Open: Schema.Codec<Open> = Schema.Union([Schema.Array(Schema.suspend(() => Nested)), Schema.Unknown])

describe("The open fields of a form", () => {
  it("include lists that reach any value through each other, whichever comes first", () => {
    for (const form of [Schema.Struct({ open: Open, nested: Nested }), Schema.Struct({ nested: Nested, open: Open })]) {
      expect([...fieldNamesOf(form).open].sort()).toEqual(["nested", "open"])
    }
  })

  it("exclude a form that only contains itself", () => {
    interface Tree {
      readonly name: string
      readonly trees: ReadonlyArray<Tree>
    }
    const Tree: Schema.Codec<Tree> = Schema.Struct({
      name: Schema.String,
      trees: Schema.Array(Schema.suspend(() => Tree))
    })
    expect(fieldNamesOf(Tree)).toMatchObject({ known: new Set(["name", "trees"]), open: new Set(), isOpen: false })
  })
})
