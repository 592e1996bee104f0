// node scripts/guides.ts <file>
//
// Renders the guides for merchants, with the READMEs of the clients, into one JSON file that `@surety/http` serves at
// `/docs`. The build of that package runs it.
import { mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { buildSite } from "./guides/buildSite.ts"

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error("Name the file to write.")
mkdirSync(path.dirname(file), { recursive: true })
writeFileSync(file, JSON.stringify(await buildSite()))
