import path from "node:path"
import { describe, expect, it } from "vitest"
import { files, read } from "./Workspace.js"

const made = /^export const (\w+) = Worker\.make\(/gm

const composition = "packages/core/src/Surety.ts"

const modules = files.filter((file) => /^packages\/core\/src\/.*\.ts$/.test(file))

/** Workers defined in core's modules, as other modules refer to them: `RefundRecovery.worker`. */
const workers = modules.flatMap((file) =>
  [...read(file).matchAll(made)].map(([, name]) => `${path.basename(file, ".ts")}.${name}`)
)

describe("workers of core", () => {
  it("are all in the list that rounds and background work are made of", () => {
    const listed = /const background = \[([^\]]*)\]/.exec(read(composition))?.[1] ?? ""
    expect(workers.length).toBeGreaterThan(5)
    expect(
      listed
        .split(",")
        .map((name) => name.trim())
        .toSorted()
    ).toEqual(workers.toSorted())
  })

  it("are made by Worker.make alone", () => {
    const forking = modules.filter((file) => /Layer\.effectDiscard\(.*forkScoped/s.test(read(file)))
    expect(forking).toEqual(["packages/core/src/Worker.ts"])
  })
})
