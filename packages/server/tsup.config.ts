import { chmodSync } from "node:fs"
import { copyAssets, packageBuild } from "../../tsup.base.js"
import { publishBundles } from "../../tsup.published.js"

/** Bundles the `surety` command with all dependencies. The modules next to it are the workspace's own. */
export default {
  ...packageBuild,
  onSuccess: async () => {
    copyAssets()
    await publishBundles({ entryPoints: { main: "src/main.ts" } })
    chmodSync("dist/published/main.js", 0o755)
  }
}
