// node scripts/bench.ts [refunds] [whoami] [--quick] [--json] [--profile <directory>]
//
// Builds what of the server is missing or stale and measures it against a hand-written peer: see docs/bench.md.
import { spawnSync } from "node:child_process"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "./packages.ts"

const main = path.join(root, "packages", "server", "bench", "main.ts")
const given = process.argv.slice(2).filter((argument, index) => index > 0 || argument !== "--")

// In a process of its own: standard output is to carry the report alone.
const builder = [path.join(root, "scripts", "build.ts"), "--if-stale", "--js", "server", "testing"]
const { status } = spawnSync(process.execPath, builder, { stdio: ["ignore", process.stderr.fd, process.stderr.fd] })
if (status !== 0) process.exit(status ?? 1)

process.argv = [process.execPath, main, ...given]
await import(pathToFileURL(main).href)
