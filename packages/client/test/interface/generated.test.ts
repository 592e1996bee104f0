import { expect, it } from "vitest"
import { interfaceTypes, routeTable } from "./interfaceTypes.js"
import { problemClasses } from "./problemClasses.js"

// `vitest -u packages/client` writes these files. Without `-u`, the test fails if a file differs from the definition.
it.each([
  ["Interface", interfaceTypes],
  ["Routes", routeTable],
  ["Problems", problemClasses]
])("%s.generated.ts is what the interface's definition says", async (name, make) => {
  await expect(await make()).toMatchFileSnapshot(`../../src/${name}.generated.ts`)
})
