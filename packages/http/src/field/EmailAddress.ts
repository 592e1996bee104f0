import { Schema } from "effect"
import { atMost } from "./Text.js"

const localPart = "[\\p{L}\\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}"
const label = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?"
const form = new RegExp(`^${localPart}@${label}(?:\\.${label})+$`, "u")

/** An e-mail address by its form: one `@`, a domain of at least two labels, at most 254 characters (RFC 5321). */
export const EmailAddress = Schema.String.check(
  atMost(254),
  Schema.makeFilter((address: string) => form.test(address), {
    expected: "an e-mail address such as ada@shop.example",
    code: "email_invalid",
    toJsonSchema: () => ({ format: "email" })
  })
).annotate({ examples: ["ada@shop.example"] })
