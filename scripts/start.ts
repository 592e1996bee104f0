// node scripts/start.ts [argument…]
//
// Builds the missing or stale parts of the server, then starts it. The server runs in this process, so it receives
// signals directly and sets the exit code. Arguments are passed to the `surety` command. Without arguments, it serves.
import { enableCompileCache } from "node:module"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "./build.ts"
import { endWithNpx } from "./npx.ts"
import { root } from "./packages.ts"

const main = path.join(root, "packages", "server", "dist", "published", "main.js")
const given = process.argv.slice(2).filter((argument, index) => index > 0 || argument !== "--")

await build({ only: ["server"], ifStale: true, declarations: false })
endWithNpx()
enableCompileCache(path.join(root, "node_modules", ".cache", "node"))
process.argv = [process.execPath, main, ...(given.length > 0 ? given : ["serve"])]
await import(pathToFileURL(main).href)
