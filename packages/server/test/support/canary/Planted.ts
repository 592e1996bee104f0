/** What persons and merchants entrust to the service: marked, so that it can be told wherever it turns up. */
export const planted = {
  bvn: "90817263545",
  nin: "70615243387",
  vnin: "QJ483920175566ZV",
  phone: "08093847561",
  firstName: "Canaryfirst",
  lastName: "Canarylast",
  birthday: "1911-07-23",
  selfie: `CANARYSELFIE${"Q".repeat(60)}`,
  code: "c4n4ry-c0de",
  email: "canary.person@mail.example",
  displayName: "Canary Person",
  liveEmail: "canary.live@mail.example",
  liveName: "Canary Live Person",
  externalId: "canary-external-77",
  formerEmail: "canary.former@mail.example",
  formerName: "Canary Former Person",
  correctedEmail: "canary.corrected@mail.example",
  correctedName: "Canary Corrected Person",
  rightsNote: "canary: my name is spelt so",
  erasedEmail: "canary.erased@mail.example",
  erasedName: "Canary Erased Person",
  erasedExternalId: "canary-erased-88",
  erasedNote: "canary: forget me",
  operatorReason: "canary: letter 4711",
  contactEmail: "canary.contact@shop.example",
  contactName: "Canary Contact",
  supportEmail: "canary.support@shop.example",
  registration: "RC-CANARY-9182",
  operatorToken: "op_canary-operator-token-5150",
  databasePassword: "canary-database-password",
  hookSecret: `whsec_${Buffer.from("canary-hook-secret-of-32-bytes!!").toString("base64")}`,
  secretsKey: Buffer.from("canary-secrets-key-of-32-bytes!!").toString("base64")
} as const

export const validation = {
  first_name: planted.firstName,
  last_name: planted.lastName,
  date_of_birth: planted.birthday,
  selfie: `/9j/${planted.selfie}`
}

/** Few enough to be tried one after the other, where only their hash is known. */
export const guessable: ReadonlySet<string> = new Set([
  "bvn",
  "nin",
  "vnin",
  "phone",
  "birthday",
  "code",
  "consentCode"
])

/** So short that they turn up by chance: only their hash would be told from it. */
export const short: ReadonlySet<string> = new Set(["consentCode"])

export const applicant = {
  name: "Corner Shop",
  legalName: "Corner Shop Ltd",
  contactName: planted.contactName,
  contactEmail: planted.contactEmail,
  supportEmail: planted.supportEmail,
  registrationNumber: planted.registration,
  country: "Nigeria",
  businessType: "retail"
}

/** The columns in which the design wants a planted value. Whatever is not named here is wanted nowhere. */
export const wantedColumns: Readonly<Record<string, ReadonlyArray<string>>> = {
  email: ["consumer.email"],
  displayName: ["consumer.display_name"],
  liveEmail: ["consumer.email"],
  liveName: ["consumer.display_name"],
  externalId: ["consumer.external_id"],
  contactEmail: ["merchant.contact_email"],
  contactName: ["merchant.contact_name"],
  supportEmail: ["merchant.support_email", "consent_receipt.body"],
  registration: ["merchant.registration_number"]
}

const ofMerchant = [
  "POST /merchants",
  "GET /merchants/{merchantId}",
  "GET /operator/merchants",
  "PATCH /operator/merchants/{merchantId}",
  "POST /operator/merchants/{merchantId}/status"
]

const ofTestPerson = ["POST /v1/test-helpers/consumers", "GET /operator/consumers"]
const ofLivePerson = ["POST /operator/consumers", "GET /operator/consumers"]
const keyMade = ["POST /merchants/{merchantId}/api-keys"]

/** The successful answers in which the design wants a planted value, or a secret that was made on the way. */
export const wantedAnswers: Readonly<Record<string, ReadonlyArray<string>>> = {
  // The sandbox's person approved the e-mail address alone, the one in LIVE both.
  email: [...ofTestPerson, "GET /v1/identity"],
  displayName: ofTestPerson,
  liveEmail: [...ofLivePerson, "GET /v1/identity"],
  liveName: [...ofLivePerson, "GET /v1/identity"],
  externalId: ofLivePerson,
  contactEmail: ofMerchant,
  contactName: ofMerchant,
  // Whom a person asks about the use of their data: the notice and the receipt name it.
  supportEmail: [...ofMerchant, "GET /operator/data-requests/pending", "GET /operator/merchants/{merchantId}/receipts"],
  registration: ofMerchant,
  testKey: keyMade,
  liveKey: keyMade,
  webhookSecret: ["POST /merchants/{merchantId}/webhooks"],
  rotatedSecret: ["POST /merchants/{merchantId}/webhooks/{endpointId}/rotate-secret"],
  testLink: ["POST /v1/data-requests", "GET /operator/data-requests/pending"],
  liveLink: ["GET /operator/data-requests/pending"]
}
