import { Effect, Result, Schema } from "effect"
import { parsedText, text } from "./Text.js"

/** Every officially assigned code of ISO 3166-1 alpha-2. */
const codes =
  "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA " +
  "CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA " +
  "GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP " +
  "KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS " +
  "MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS " +
  "RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW " +
  "TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW"

/** Official, former and informal names that the runtime's own list (CLDR) may lack. */
const otherNames: Readonly<Record<string, string>> = {
  "Bolivia (Plurinational State of)": "BO",
  "Brunei Darussalam": "BN",
  Burma: "MM",
  "Cabo Verde": "CV",
  "Cape Verde": "CV",
  Congo: "CG",
  "Congo, Democratic Republic of the": "CD",
  "Democratic Republic of the Congo": "CD",
  "Republic of the Congo": "CG",
  "Cote d'Ivoire": "CI",
  "Ivory Coast": "CI",
  "Czech Republic": "CZ",
  "Falkland Islands (Malvinas)": "FK",
  "Great Britain": "GB",
  "Holy See": "VA",
  "Hong Kong": "HK",
  Holland: "NL",
  "Iran (Islamic Republic of)": "IR",
  "Islamic Republic of Iran": "IR",
  "Korea (Democratic People's Republic of)": "KP",
  "Democratic People's Republic of Korea": "KP",
  "Korea, Republic of": "KR",
  "Republic of Korea": "KR",
  "Lao People's Democratic Republic": "LA",
  Macao: "MO",
  Macau: "MO",
  Macedonia: "MK",
  "Micronesia (Federated States of)": "FM",
  "Moldova, Republic of": "MD",
  "Republic of Moldova": "MD",
  "Netherlands, Kingdom of the": "NL",
  "Palestine, State of": "PS",
  "State of Palestine": "PS",
  Palestine: "PS",
  "Russian Federation": "RU",
  Swaziland: "SZ",
  "Syrian Arab Republic": "SY",
  "Taiwan, Province of China": "TW",
  "Tanzania, United Republic of": "TZ",
  "United Republic of Tanzania": "TZ",
  Turkey: "TR",
  Turkiye: "TR",
  "United Kingdom of Great Britain and Northern Ireland": "GB",
  "United States of America": "US",
  USA: "US",
  UK: "GB",
  "Venezuela (Bolivarian Republic of)": "VE",
  "Viet Nam": "VN"
}

/**
 * Returns the lookup key of a name. Ignores letter case, accents and a leading `the`. Treats punctuation as a space,
 * `&` as `and`, and `St` as `Saint`.
 */
const keyOf = (name: string): string =>
  name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("&", " and ")
    .replace(/\bst\.? /gu, "saint ")
    .replace(/[^a-z0-9]+/gu, " ")
    .trim()
    .replace(/^the /u, "")

const makeByName = (): ReadonlyMap<string, string> => {
  const english = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" })
  const byName = new Map<string, string>()
  for (const code of codes.split(" ")) {
    byName.set(keyOf(code), code)
    const name = english.of(code)
    if (name !== undefined) byName.set(keyOf(name), code)
  }
  for (const [name, code] of Object.entries(otherNames)) byName.set(keyOf(name), code)
  return byName
}

const byName = makeByName()

/**
 * Converts a code in any letter case, or a country's English name, to its ISO 3166-1 alpha-2 code. Returns `undefined`
 * for an unknown code or name.
 */
export const countryCode = (codeOrName: string): string | undefined => byName.get(keyOf(codeOrName))

const parse = (sent: string) => {
  const code = countryCode(sent)
  return Effect.succeed(
    code === undefined
      ? Result.fail({
          code: "country_unknown",
          detail: "Expected a country: an ISO 3166-1 alpha-2 code, such as NG, or its English name."
        })
      : Result.succeed(code)
  )
}

/** A country by code or English name, decoded to its code (contract 3). At most 80 characters. */
export const Country = parsedText(
  text(80).annotate({
    description: "An ISO 3166-1 alpha-2 code in any letter case, or the country's English name.",
    examples: ["NG", "Nigeria"]
  }),
  Schema.String,
  parse
)
