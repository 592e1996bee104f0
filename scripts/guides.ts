// node scripts/guides.ts <file>
//
// Renders the merchant guides, the libraries' READMEs, the welcome page and the API's code samples into one JSON file.
// The build of `@surety/http` runs this script, and the package serves the file's content.
import { mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { buildSite } from "./guides/buildSite.ts"

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error("Name the file to write.")
mkdirSync(path.dirname(file), { recursive: true })
writeFileSync(file, JSON.stringify(await buildSite()))
