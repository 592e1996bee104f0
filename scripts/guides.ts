// node scripts/guides.ts <file>
//
// Renders the merchant guides and the libraries' READMEs into one JSON file, from which `@surety/http` serves `/docs`.
// Runs as part of that package's build.
import { mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { buildSite } from "./guides/buildSite.ts"

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error("Name the file to write.")
mkdirSync(path.dirname(file), { recursive: true })
writeFileSync(file, JSON.stringify(await buildSite()))
