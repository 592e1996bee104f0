import { chmodSync } from "node:fs"
import { copyAssets, packageBuild } from "../../tsup.base.js"
import { publishBundles } from "../../tsup.published.js"

/**
 * Bundles the `surety` command with its dependencies, except the libraries that `publishBundles` leaves out. The
 * modules next to `dist/published` serve only the workspace.
 */
export default {
  ...packageBuild,
  onSuccess: async () => {
    copyAssets()
    await publishBundles({ entryPoints: { main: "src/main.ts" } })
    chmodSync("dist/published/main.js", 0o755)
  }
}
