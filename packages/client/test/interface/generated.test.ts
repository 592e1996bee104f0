import { expect, it } from "vitest"
import { interfaceTypes, routeTable } from "./interfaceTypes.js"
import { problemClasses } from "./problemClasses.js"

// `vitest -u` rewrites them; a run without it fails where the interface has changed and they have not.
it.each([
  ["Interface", interfaceTypes],
  ["Routes", routeTable],
  ["Problems", problemClasses]
])("%s.generated.ts is what the interface's definition says", async (name, make) => {
  await expect(await make()).toMatchFileSnapshot(`../../src/${name}.generated.ts`)
})
