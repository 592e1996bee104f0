import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { manifests } from "./architecture/Workspace.js"

const directory = new URL("../.changeset/", import.meta.url)
const changesets = readdirSync(directory).filter((file) => file.endsWith(".md"))

const released = (file: string): ReadonlyArray<readonly [string, string]> => {
  const [, front = ""] = /^---\n(.*?)^---\n/ms.exec(readFileSync(new URL(file, directory), "utf8")) ?? []
  return Array.from(front.matchAll(/^"(.+)": (\w+)$/gm), ([, name = "", bump = ""]) => [name, bump] as const)
}

it.each(changesets)("%s names packages that there are, and how much they change", (file) => {
  const names = manifests.map(({ name }) => name)
  expect(released(file)).not.toEqual([])
  for (const [name, bump] of released(file)) {
    expect(names).toContain(name)
    expect(["major", "minor", "patch"]).toContain(bump)
  }
})
