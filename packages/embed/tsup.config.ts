import { chmodSync } from "node:fs"
import { copyAssets, packageBuild } from "../../tsup.base.js"
import { publishBundles } from "../../tsup.published.js"

/**
 * Bundles `.`, `./testing`, `./effect` and the command. Leaves out `pg` and other libraries that are installed
 * beside the package. `./effect` also uses the host's own copies of `effect` and `@surety/core`.
 */
export default {
  ...packageBuild,
  onSuccess: async () => {
    copyAssets()
    await publishBundles(
      { entryPoints: { index: "src/entry/index.ts", testing: "src/entry/testing.ts", cli: "src/internal/cli.ts" } },
      {
        entryPoints: { index: "src/entry/effect.ts" },
        directory: "effect",
        external: ["effect", "effect/*", "@surety/core", "@surety/core/*"]
      }
    )
    chmodSync("dist/published/cli.js", 0o755)
  }
}
