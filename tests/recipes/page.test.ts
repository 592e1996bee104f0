import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, it } from "vitest"

const read = (file: string): string => readFileSync(path.join(import.meta.dirname, file), "utf8")

const page = read("../../docs/embedding/recipes.md")
const blocks = [...page.matchAll(/```ts recipe (\S+)\n(.*?)```/gs)].map(([, file = "", code = ""]) => ({ file, code }))

it("The page of recipes shows the files that are run here, and all of them", () => {
  const recipes = readdirSync(import.meta.dirname).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "Shop.ts"
  )
  assert.sameMembers(
    blocks.map(({ file }) => file),
    recipes
  )
  for (const { code, file } of blocks) assert.strictEqual(code, read(file), file)
})
