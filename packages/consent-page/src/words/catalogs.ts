import { Result } from "effect"
import { type Catalog, englishCatalog } from "./Catalog.js"
import { hausa } from "./hausa.js"
import { igbo } from "./igbo.js"
import { nigerianPidgin } from "./nigerianPidgin.js"
import { yoruba } from "./yoruba.js"

/** All catalogs in this package, English first. The others are drafts, so a host names the ones to offer. */
export const catalogs: ReadonlyArray<Catalog> = [englishCatalog, nigerianPidgin, hausa, yoruba, igbo]

/**
 * Returns the catalogs of `languages`, with the first as default. Fails if the list is empty or names an unknown
 * language. The failure lists the known languages, as text to append to the setting's name.
 */
export const catalogsOf = (
  languages: ReadonlyArray<string>
): Result.Result<readonly [Catalog, ...ReadonlyArray<Catalog>], string> => {
  const named = [...new Set(languages)]
  const found = named.flatMap((language) => catalogs.find((catalog) => catalog.language === language) ?? [])
  const [first, ...others] = found
  return first !== undefined && found.length === named.length
    ? Result.succeed([first, ...others])
    : Result.fail(`must list some of ${catalogs.map(({ language }) => language).join(", ")}`)
}
