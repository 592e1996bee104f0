import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"
import { variables, wanted } from "../packages/testing/src/machine/LeftOut.ts"
import { filesBelow, root } from "../scripts/packages.ts"

const testsBelow = (directory: string): ReadonlyArray<string> =>
  filesBelow(directory)
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => path.join(directory, file))

const tests = [
  path.join(root, "tests"),
  ...["packages", "examples"].flatMap((parent) =>
    readdirSync(path.join(root, parent)).map((name) => path.join(root, parent, name, "test"))
  )
].flatMap(testsBelow)

const skip = /\.(skip|skipIf|runIf|todo|only|fails)\b(?<how>\([^\n]*)?/g
const forms = [
  String.raw`isLeftOut\(process\.env, "(${Object.keys(variables).join("|")})"\)`,
  String.raw`isMissing\(process\.env, "(${Object.keys(wanted).join("|")})"\)`
]
const allowed = new RegExp(String.raw`^\.skipIf\((${forms.join("|")})\)`)

const skipsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(skip)].map(([found]) => found).filter((found) => !allowed.test(found))

it("a test is left out only by a variable that the run reports", () => {
  const found = tests
    .filter((file) => file !== import.meta.filename)
    .flatMap((file) => skipsOf(readFileSync(file, "utf8")).map((how) => `${path.relative(root, file)}: ${how}`))
  expect(found).toEqual([])
})

it("recognises every way to skip a test", () => {
  for (const how of [
    'it.skip("x", () => {})',
    'it.todo("x")',
    'describe.skipIf(!hasBrowser)("x", () => {})',
    'it.runIf(process.env.CI)("x", () => {})',
    "if (!found) return context.skip()",
    'it.only("x", () => {})',
    'it.skipIf(isLeftOut(process.env, "SKIP_ANYTHING"))("x", () => {})',
    'it.skipIf(isMissing(process.env, "ANYTHING"))("x", () => {})'
  ]) {
    expect(skipsOf(how), how).toHaveLength(1)
  }
  expect(skipsOf('it.skipIf(isLeftOut(process.env, "SKIP_BROWSER"))("x", () => {})')).toEqual([])
  expect(skipsOf('describe.skipIf(isMissing(process.env, "CITUS_NATIVE"))("x", () => {})')).toEqual([])
})
