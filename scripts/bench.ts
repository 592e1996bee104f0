// node scripts/bench.ts [refunds] [whoami] [--quick] [--json] [--profile <directory>]
// node scripts/bench.ts webhooks [idle] [backlog] [fairness] [--quick] [--json] [--profile <directory>]
// node scripts/bench.ts verifier [--quick] [--json]
// node scripts/bench.ts json [part of a body's name…] [--quick] [--json]
//
// Builds what is missing or stale and measures it against what else would do the same: see docs/bench.md.
import { spawnSync } from "node:child_process"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "./packages.ts"

const server = path.join("packages", "server", "bench")

/** What is measured beside the server's own bench, which takes everything else: where it begins, and what it needs. */
const benches: Readonly<Record<string, { readonly main: string; readonly packages: ReadonlyArray<string> }>> = {
  webhooks: { main: path.join(server, "webhooks", "main.ts"), packages: ["server", "testing"] },
  verifier: { main: path.join("packages", "verifier", "bench", "verifier.bench.ts"), packages: ["verifier"] },
  json: { main: path.join("packages", "http", "bench", "hostile", "main.ts"), packages: ["http"] }
}
const serverBench = { main: path.join(server, "main.ts"), packages: ["server", "testing"] }

const given = process.argv.slice(2).filter((argument, index) => index > 0 || argument !== "--")
const named = benches[given[0] ?? ""]
const { main, packages } = named ?? serverBench
const passed = named === undefined ? given : given.slice(1)

// In a process of its own: standard output is to carry the report alone.
const builder = [path.join(root, "scripts", "build.ts"), "--if-stale", "--js", ...packages]
const { status } = spawnSync(process.execPath, builder, { stdio: ["ignore", process.stderr.fd, process.stderr.fd] })
if (status !== 0) process.exit(status ?? 1)

const file = path.join(root, main)
process.argv = [process.execPath, file, ...passed]
await import(pathToFileURL(file).href)
