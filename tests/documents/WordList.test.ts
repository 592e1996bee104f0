import { expect, it } from "vitest"
import { wordViolations } from "./WordList.js"

const inPage = (text: string) => wordViolations("a.md", text)

it("finds phrases of the list, with their line and what to write instead", () => {
  expect(inPage("One.\n\nNobody is told of it.")).toEqual([
    'a.md:3: "Nobody"; write: no one, someone, a caller, or a noun',
    'a.md:3: "is told"; write: gets, learns, sees, or an active verb',
    'a.md:3: "told of"; write: reports'
  ])
  for (const text of [
    "Answers how many there were.",
    "Whoever goes away leaves nothing behind.",
    "whatever is undefined",
    "for so many whole days",
    "where there is none",
    "the batch works by itself",
    "What there is of consent",
    "Claiming broke off",
    "Expected a text"
  ]) {
    expect(inPage(text)).not.toEqual([])
  }
})

it("finds a phrase that is wrapped, in a page and in a comment", () => {
  expect(inPage("it is\ntold")).toHaveLength(1)
  expect(wordViolations("a.ts", "/**\n * The caller is\n * told.\n */")).toHaveLength(1)
})

it("reads the comments of a source file only, and no code of a page", () => {
  expect(wordViolations("a.ts", 'const nobody = "whatever"\n')).toEqual([])
  expect(wordViolations("a.ts", "  // nobody\n")).toHaveLength(1)
  expect(wordViolations("a.ts", "const nobody = 1 // whatever\n")).toHaveLength(1)
  expect(inPage("`nobody`\n```sh\necho nobody\n```\n")).toEqual([])
})

it("leaves plain English alone", () => {
  expect(inPage("Returns the count. Fails with `NotFound` if the record is missing. So many that it fails.")).toEqual(
    []
  )
})

it("reads the strings of three words or more: names of tests, log lines, errors", () => {
  expect(wordViolations("aLaws.ts", '  "tells nobody of it",\n')).toHaveLength(1)
  expect(wordViolations("a.ts", "it(`lets nobody in`, () => nobody)\n")).toHaveLength(1)
  expect(wordViolations("a.ts", 'const nobody = ["nobody", "is told"]\n')).toEqual([])
})
