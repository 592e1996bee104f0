import { expect, it } from "vitest"
import { examplesOf, runExample, typeErrorsOf } from "../../../tests/examples/Examples.js"
import * as verifier from "../src/index.js"
import * as testing from "../src/testing.js"

const examples = examplesOf("verifier")
const modules = { "@surety/verifier": verifier, "@surety/verifier/testing": testing }

it("what a merchant calls has an example", () => {
  expect(examples.length).toBeGreaterThanOrEqual(4)
})

it("the examples' types are right under strict settings", async () => {
  expect(await typeErrorsOf("verifier", examples)).toBe("")
})

it.each(examples)("the example at $place runs", async (example) => {
  expect(await runExample(example, modules)).not.toEqual([])
})
