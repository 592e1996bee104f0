import { Grants } from "@surety/core/consent/grant/Grants"
import { ManagementLinks } from "@surety/core/consent/link/ManagementLinks"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { Effect, Redacted } from "effect"
import * as Scene from "./Scene.js"

const hostile = {
  name: `</bdi></h1><script>document.title='owned'</script>\u202Edekcah\u2066 ${"Ltd ".repeat(60)}`,
  legalName: `مؤسسة\u200F الزاوية ${"\u0301".repeat(200)}${"W".repeat(300)}`,
  websiteUrl: "https://аpple.example/\u202E",
  supportEmail: "help@corner.example"
}

const kemi = {
  merchant: {
    name: "Kemi Fabrics",
    legalName: "Kemi Fabrics & Sons Limited",
    supportEmail: "care@kemifabrics.example",
    websiteUrl: "https://kemifabrics.example"
  },
  fields: ["display_name", "email", "phone_verified"],
  purpose: "To deliver your order and email you the receipt",
  isChecked: true
} as const

const share = { fields: ["display_name", "email"], notice: Scene.notice }

/**
 * Urls of the pages of a person in LIVE with three grants, each to a different merchant. One grant is revoked, and
 * one merchant has read the data.
 */
const managed = Effect.gen(function* () {
  const person = yield* PersonConsents
  const grants = yield* Grants
  const reads = yield* IdentityReads
  const links = yield* ManagementLinks
  const consumer = yield* Scene.newPerson("LIVE")
  const give = Effect.fnUntraced(function* (name: string, fields: ReadonlyArray<string>, purpose: string) {
    const { id: merchantId } = yield* Scene.newMerchant({ name })
    const scope = { merchantId, environment: "LIVE" as const }
    const grant = yield* grants.create(scope, {
      serviceId: consumer.serviceId,
      fields,
      purpose,
      origin: "HOST",
      actor: { kind: "HOST" }
    })
    return { scope, grant }
  })
  const first = yield* give(
    "Kemi Fabrics",
    ["display_name", "email"],
    "To deliver your order and email you the receipt"
  )
  yield* give("Lekki Micro Loans", ["kyc_status"], "To check that you may borrow")
  const gone = yield* give("Ikeja Pharmacy", ["country"], "To know where to send it")
  yield* grants.revoke({ id: gone.grant.id, scope: undefined }, { actor: { kind: "PERSON" } })
  yield* reads.read(first.scope, { serviceId: consumer.serviceId })
  yield* reads.read(first.scope, { serviceId: consumer.serviceId, fields: [] })
  const { url } = yield* links.issue({ ...consumer, userId: consumer.userId })
  const manage = Redacted.value(url)
  const manager = yield* person.open(Redacted.make(manage.split("/").at(-1) ?? ""))
  const { data } = yield* person.receipts(manager, Scene.page)
  return {
    manage,
    reads: `${manage}/reads`,
    readsOf: `${manage}/reads?of=${first.scope.merchantId}`,
    rights: `${manage}/rights`,
    rightsAsked: `${manage}/rights?asked=EXPORT`,
    receipts: `${manage}/receipts`,
    receipt: `${manage}/receipts/${data.find(({ body }) => body.includes("Kemi"))?.id}`
  }
})

/** Urls of pages in various states, keyed by the state's name. */
export const states = Effect.gen(function* () {
  const pending = yield* Scene.asked(kemi)
  const returning = yield* Scene.asked({ ...kemi, returnUrl: "https://kemifabrics.example/orders", state: "77" })
  const once = yield* Scene.asked({ ...kemi, duration: "ONE_TIME" })
  const attacked = yield* Scene.asked({ merchant: hostile, purpose: `<img src=x onerror=alert(1)>${"x".repeat(400)}` })
  const six = yield* Scene.asked({
    fields: ["service_id", "display_name", "email", "country", "phone_verified", "kyc_status"]
  })
  const arabic = yield* Scene.asked({ merchant: { name: "متجر الزاوية", legalName: "شركة متجر الزاوية" } })
  yield* Scene.approveBy(arabic.token, { fields: ["email"], notice: Scene.notice })
  yield* Scene.approveBy(returning.token, share)
  const denied = yield* Scene.asked({ ...kemi, returnUrl: "https://kemifabrics.example/orders", state: "77" })
  yield* Scene.denyBy(denied.token, { reason: "DECLINED", notice: Scene.notice })
  const disowned = yield* Scene.asked(kemi)
  yield* Scene.denyBy(disowned.token, { reason: "NOT_ME", notice: Scene.notice })
  return {
    ask: pending.url,
    once: once.url,
    six: six.url,
    pidgin: `${pending.url}?lang=pcm`,
    hausa: `${six.url}?lang=ha`,
    yoruba: `${six.url}?lang=yo`,
    igbo: `${six.url}?lang=ig`,
    attacked: attacked.url,
    approved: returning.url,
    arabic: arabic.url,
    denied: denied.url,
    notMe: disowned.url,
    ...(yield* managed),
    gone: `${pending.url}x`
  }
})
