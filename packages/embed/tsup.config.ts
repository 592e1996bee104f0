import { chmodSync } from "node:fs"
import { copyAssets, packageBuild } from "../../tsup.base.js"
import { publishBundles } from "../../tsup.published.js"

/**
 * Builds the package's modules, then bundles `.`, `./testing`, `./effect` and the command for publication. Every bundle
 * excludes `pg` and the other libraries that `tsup.published.ts` excludes. The bundle of `./effect` also imports the
 * host's own copies of `effect` and `@surety/core`.
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
