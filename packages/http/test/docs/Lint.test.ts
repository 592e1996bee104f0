import { createConfig, lintFromString } from "@redocly/openapi-core"
import { expect, it } from "vitest"
import { document } from "../Contract.js"

const lint = async (linted: object): Promise<ReadonlyArray<string>> => {
  const config = await createConfig({ extends: ["recommended"] })
  const problems = await lintFromString({ source: JSON.stringify(linted), config })
  return problems.map(({ location, message, ruleId, severity }) => {
    const places = location.map(({ pointer }) => pointer ?? "").join(", ")
    return `${severity} ${ruleId} ${places}: ${message}`
  })
}

it("the OpenAPI document has nothing that a linter would have otherwise, at any level", async () => {
  expect(await lint(document)).toEqual([])
})

it("the linter sees what is wrong", async () => {
  const [path = ""] = Object.keys(document.paths)
  const broken = { ...document, paths: { ...document.paths, [path]: { get: { operationId: "x", parameters: [{}] } } } }
  expect((await lint(broken)).filter((line) => line.startsWith("error "))).not.toEqual([])
})
