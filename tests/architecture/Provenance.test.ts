import { expect, it } from "vitest"
import { lockfileHostViolations, traceViolations } from "./Provenance.js"

// Split into parts, since this file is searched like any other.
const told = [
  ["see /w", "ork/main"],
  ['"/t', 'mp/build"'],
  ["at /ro", "ot/app"],
  ["read ../sh", "ared/spec"],
  ["a sub", "agent wrote"]
]

it("finds a machine's paths and words of how a file was made, with their line", () => {
  for (const parts of told) {
    const line = parts.join("")
    expect(traceViolations("a.md", `fine\n${line}\n`)).toEqual([`a.md:2: ${line}`])
  }
})

it("leaves paths and words of the product alone", () => {
  expect(traceViolations("a.md", "network/errors, src/work/x, User-Agent, a session of PostgreSQL, /temp/x")).toEqual(
    []
  )
})

it("finds a registry in a lockfile, but leaves a package's own words alone", () => {
  expect(lockfileHostViolations("lock", "resolution: {integrity: sha512-x}\ndeprecated: see https://a.b/c")).toEqual([])
  expect(lockfileHostViolations("lock", "a:\n  resolution: {tarball: https://host/a.tgz}")).toHaveLength(1)
  expect(lockfileHostViolations("lock", "registry: http://host/")).toHaveLength(1)
})
