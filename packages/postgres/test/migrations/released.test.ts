import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { migrations } from "@surety/postgres/PgMigrations"
import { expect, it } from "vitest"

/**
 * Hashes of released migrations. A step has one hash, since it never changes. A function has one hash per version,
 * oldest first.
 */
interface Released {
  readonly steps: Readonly<Record<string, string>>
  readonly functions: Readonly<Record<string, ReadonlyArray<string>>>
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")

const current = {
  steps: Object.fromEntries(
    migrations.steps.map(({ id, name, outsideTransaction, statements }) => [
      `${id} ${name}`,
      hash(JSON.stringify([...statements('"surety"'), outsideTransaction === true]))
    ])
  ),
  functions: Object.fromEntries(
    migrations.functions.map(({ definition, name }) => [name, hash(definition('"surety"'))])
  )
}

type Current = typeof current

const violations = (released: Released, { functions, steps }: Current): ReadonlyArray<string> => [
  ...Object.entries(released.steps)
    .filter(([name, text]) => steps[name] !== text)
    .map(([name]) => `step ${name} was released and is ${steps[name] === undefined ? "gone" : "changed"}`),
  ...Object.entries(functions)
    .filter(([name, text]) => (released.functions[name] ?? []).slice(0, -1).includes(text))
    .map(([name]) => `function ${name} has an earlier release's text: databases would be taken for newer`)
]

const withCurrent = (released: Released, { functions, steps }: Current): Released => ({
  steps: { ...steps, ...released.steps },
  functions: {
    ...released.functions,
    ...Object.fromEntries(
      Object.entries(functions).map(([name, text]) => {
        const known = released.functions[name] ?? []
        return [name, known.includes(text) ? known : [...known, text]]
      })
    )
  }
})

const file = new URL("../../released-migrations.json", import.meta.url)
const manifest = (): Released => JSON.parse(readFileSync(file, "utf8"))

// With RELEASE_MIGRATIONS=1, adds the current hashes to the file. Each release runs this once (CONTRIBUTING.md).
if (process.env.RELEASE_MIGRATIONS === "1") {
  writeFileSync(file, `${JSON.stringify(withCurrent(manifest(), current), undefined, 2)}\n`)
}

it("no released step has changed, and no function has an earlier release's text", () => {
  expect(violations(manifest(), current)).toEqual([])
})

it("finds a released step that has changed or gone, once there was a release", () => {
  const released = withCurrent({ steps: {}, functions: {} }, current)
  expect(violations(released, current)).toEqual([])
  const { "2 money": _, ...fewer } = current.steps
  expect(violations(released, { ...current, steps: fewer })).toEqual(["step 2 money was released and is gone"])
  expect(violations(released, { ...current, steps: { ...current.steps, "1 merchants": "other" } })).toEqual([
    "step 1 merchants was released and is changed"
  ])
  expect(violations(released, { ...current, steps: { ...current.steps, "7 later": "new" } })).toEqual([])
  const changed = { ...current, steps: { ...current.steps, "1 merchants": "other" } }
  expect(violations(withCurrent(released, changed), changed), "also in the run of the next release").toHaveLength(1)
})

it("finds a function that is put back to an earlier release's text", () => {
  const first = { steps: {}, functions: { uuid_v7: "one" } }
  const second = { steps: {}, functions: { uuid_v7: "two" } }
  const released = withCurrent(withCurrent({ steps: {}, functions: {} }, first), second)
  expect(violations(released, second)).toEqual([])
  expect(violations(released, { steps: {}, functions: { uuid_v7: "three" } })).toEqual([])
  expect(violations(released, first)).toHaveLength(1)
})
