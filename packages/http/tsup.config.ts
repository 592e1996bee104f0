import { execFileSync } from "node:child_process"
import path from "node:path"
import { copyAssets, packageBuild } from "../../tsup.base.js"

/** Renders the guides served at `/docs` into this package, so that a server needs no renderer. */
const renderGuides = (): void => {
  const script = path.resolve("../../scripts/guides.ts")
  execFileSync(process.execPath, [script, path.resolve("dist/site.json")], { stdio: "inherit" })
}

export default {
  ...packageBuild,
  onSuccess: async () => {
    copyAssets()
    renderGuides()
  }
}
