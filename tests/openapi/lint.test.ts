import { readFileSync } from "node:fs"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import spectral from "@stoplight/spectral-core"
import rulesets from "@stoplight/spectral-rulesets"
import { expect, it } from "vitest"
import { documentFor } from "../../packages/http/src/docs/OpenApiAudiences.ts"

const whole = JSON.parse(readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"))

/** The documents by audience. Together they contain every operation of the full document. */
const documents = {
  "merchants'": documentFor(whole, "merchant"),
  "operators'": documentFor(whole, "operator")
}

/** Severities set for two of Spectral's rules. Spectral disables `oas3-parameter-description` by default. */
const further = { "oas3-parameter-description": "warn", "openapi-tags-uniqueness": "error" } as const

const spectralFaults = async (document: object): Promise<ReadonlyArray<string>> => {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[{ ...rulesets.oas, extends: [] }, "recommended"]], rules: further })
  const found = await linter.run(JSON.stringify(document))
  return found.map(({ code, message, path }) => `${code} ${path.join("/")}: ${message}`)
}

const redoclyFaults = async (document: object): Promise<ReadonlyArray<string>> => {
  const config = await createConfig({ extends: ["recommended-strict"] })
  const found = await lintFromString({ source: JSON.stringify(document), config })
  return found.map(({ message, ruleId }) => `${ruleId}: ${message}`)
}

it.each(Object.entries(documents))("Spectral and Redocly find nothing in the %s document", async (_, document) => {
  expect(await spectralFaults(document)).toEqual([])
  expect(await redoclyFaults(document)).toEqual([])
})

it("both see what is wrong", async () => {
  const broken = {
    ...whole,
    components: {},
    paths: { "/x": { get: { operationId: "x", parameters: [{ name: "y", in: "query" }] } } }
  }
  expect(await spectralFaults(broken)).not.toEqual([])
  expect(await redoclyFaults(broken)).not.toEqual([])
})
