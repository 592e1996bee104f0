import { foldedName } from "@surety/core/operator/Operator"
import { Keyring, type SealedSecret } from "@surety/core/secret/Keyring"
import { sameText } from "@surety/core/secret/sameText"
import { guardField } from "@surety/page-kit/form/FormGuard"
import type { SentForm } from "@surety/page-kit/form/SentForm"
import { type Html, html } from "@surety/page-kit/Html"
import { DateTime, Duration, Effect, Option, Redacted, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import type { HttpServerRequest } from "effect/http"

/** Hidden field with a keyed fingerprint of operator, path and form. Only this operator can restore the draft. */
const ownerField = "owner"

/** Name of the cookie that holds the sealed draft. Under https it has the prefix `__Host-`. */
const cookie = "console_draft"

/** How long a draft is stored while its operator signs in again. */
const lasts = Duration.minutes(15)

/**
 * Maximum length of the cookie's value. Browsers may reject a cookie whose name, value and attributes exceed 4096
 * bytes.
 */
const longestCookie = 3_800

/** A form submitted after the operator's session had ended. */
const Draft = Schema.fromJsonString(
  Schema.Struct({
    path: Schema.String,
    form: Schema.String,
    owner: Schema.String,
    endsAt: Schema.Int,
    fields: Schema.Record(Schema.String, Schema.String)
  })
)
export type Draft = typeof Draft.Type

const encode = Schema.encodeSync(Draft)
const decode = Schema.decodeOption(Draft)

/**
 * Returns true if a draft stores this form field. Drafts omit the form's internal fields and any field whose name
 * suggests a secret.
 */
const isKept = (name: string): boolean =>
  ![guardField, ownerField, "form", "drawn"].includes(name) && !/token|secret|password|key|code/iu.test(name)

const mostFields = 20

const seal = "console.draft"

/**
 * Builds the operations on drafts. A draft contains the entries of a form submitted after the operator's session has
 * ended. It is sealed and stored in the operator's browser for 15 minutes. It belongs to one path, form and operator,
 * and no other operator sees it. Restoring a draft submits nothing.
 */
export const make = Effect.fnUntraced(function* (isSecure: boolean) {
  const keyring = yield* Keyring
  const name = isSecure ? `__Host-${cookie}` : cookie

  const ownersOf = (operator: string, path: string, form: string) =>
    keyring.fingerprints(JSON.stringify([seal, foldedName(operator), path, form]))

  return {
    cookie: name,
    maxAge: lasts,

    /** Renders the hidden field that ties a form to its operator. */
    field: (operator: string, path: string, form: string): Effect.Effect<Html> =>
      Effect.map(
        ownersOf(operator, path, form),
        ([owner]) => html`<input type="hidden" name="${ownerField}" value="${owner}">`
      ),

    /**
     * Seals a submitted form into a cookie value. `None` if `Sec-Fetch-Site` is present and not `same-origin`. Also
     * `None` if the form lacks its owner or form field, or the value is longer than `longestCookie`.
     */
    keep: Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest,
      path: string,
      form: SentForm,
      names: ReadonlyArray<string>
    ) {
      const site = request.headers["sec-fetch-site"]
      const [owner, which] = [form.first(ownerField), form.first("form")]
      const isOurs = site === undefined || site === "same-origin"
      if (!isOurs || owner === undefined || which === undefined) return Option.none<string>()
      const kept = names.filter(isKept).slice(0, mostFields)
      const fields = Object.fromEntries(kept.map((field) => [field, form.first(field) ?? ""]))
      const endsAt = DateTime.toEpochMillis(DateTime.addDuration(yield* DateTime.now, lasts))
      const text = encode({ path, form: which, owner, endsAt, fields })
      const { bytes, keyId } = yield* keyring.seal(seal, Redacted.make(text, { label: "draft" }))
      const value = `${keyId}.${Base64Url.encode(bytes)}`
      return value.length > longestCookie ? Option.none<string>() : Option.some(value)
    }),

    /** Opens the draft in the request's cookie. `None` if it is missing, unreadable, expired or another operator's. */
    read: Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, operator: string) {
      const [keyId = "", text = ""] = (request.cookies[name] ?? "").split(".")
      const bytes = Base64Url.decode(text)
      if (keyId === "" || Result.isFailure(bytes)) return Option.none<Draft>()
      const sealed: SealedSecret = { keyId, bytes: bytes.success }
      const opened = yield* Effect.option(keyring.open(seal, sealed))
      const draft = Option.flatMap(opened, (known) => decode(Redacted.value(known)))
      if (Option.isNone(draft)) return draft
      const { endsAt, form, owner, path } = draft.value
      const owners = yield* ownersOf(operator, path, form)
      const isTheirs = owners.some((one) => sameText(one, owner))
      return isTheirs && endsAt > DateTime.toEpochMillis(yield* DateTime.now) ? draft : Option.none<Draft>()
    })
  }
})

export type Drafts = Effect.Success<ReturnType<typeof make>>
