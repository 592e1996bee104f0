import { expect, it } from "vitest"
import { read } from "./Workspace.js"

it("bounds JSON by the same code in each package that can import it from none", () => {
  const [verifier, ...others] = [
    "packages/verifier/src/body/isBoundedJson.ts",
    "packages/client/src/call/isBoundedJson.ts",
    "packages/kyc-http/src/isBoundedJson.ts"
  ].map(read)
  for (const other of others) expect(other).toBe(verifier)
})
