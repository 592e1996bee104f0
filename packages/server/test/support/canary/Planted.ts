/** Personal data, merchants' data and secrets that are recognisable wherever they appear. */
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
  secondOperatorToken: "op_canary-second-operator-6160",
  collectorKey: "canary-collector-key-7170",
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

/** Values with few enough possibilities that a hash can be reversed by brute force. */
export const guessable: ReadonlySet<string> = new Set([
  "bvn",
  "nin",
  "vnin",
  "phone",
  "birthday",
  "code",
  "consentCode"
])

/** Values short enough to appear by chance. Only their hashes are searched for. */
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

/** Columns in which a planted value belongs. Values not listed here must not occur in any column. */
export const wantedColumns: Readonly<Record<string, ReadonlyArray<string>>> = {
  email: ["consumer.email"],
  displayName: ["consumer.display_name"],
  liveEmail: ["consumer.email"],
  liveName: ["consumer.display_name"],
  externalId: ["consumer.external_id"],
  correctedEmail: ["consumer.email"],
  correctedName: ["consumer.display_name"],
  rightsNote: ["rights_request.note"],
  operatorReason: ["operator_action.reason", "operator_transfer.reason"],
  contactEmail: ["merchant.contact_email"],
  contactName: ["merchant.contact_name"],
  supportEmail: ["merchant.support_email", "consent_receipt.body"],
  registration: ["merchant.registration_number"]
}

/**
 * Values that the run removes from every column. They remain in the database's files until PostgreSQL vacuums the
 * removed rows and recycles the WAL.
 */
export const removedFromColumns: ReadonlyArray<string> = [
  "formerEmail",
  "formerName",
  "erasedEmail",
  "erasedName",
  "erasedExternalId",
  "erasedNote"
]

const ofMerchant = [
  "POST /merchants",
  "GET /merchants/{merchantId}",
  "GET /operator/merchants",
  "PATCH /operator/merchants/{merchantId}",
  "POST /operator/merchants/{merchantId}/status"
]

const ofTestPerson = ["POST /v1/test-helpers/consumers", "GET /operator/consumers"]
const ofLivePerson = ["POST /operator/consumers", "GET /operator/consumers"]
const personExport = ["POST /operator/people/{serviceId}/export", "POST /operator/people/{serviceId}/export-page"]
const ofCorrectedPerson = [
  "POST /operator/people/{serviceId}/rectify",
  "GET /operator/consumers",
  "GET /operator/consumers/{serviceId}",
  "PATCH /operator/consumers/{serviceId}",
  "GET /v1/identity",
  ...personExport
]
const rightsAnswers = ["POST /operator/rights-requests", "GET /operator/rights-requests"]
const keyMade = ["POST /merchants/{merchantId}/api-keys"]

/** Successful responses in which the design allows a planted value, or a secret created during the run. */
export const wantedAnswers: Readonly<Record<string, ReadonlyArray<string>>> = {
  // An identity read returns only fields with an active grant. In the sandbox, this is the e-mail address alone. In
  // LIVE, it is also the display name.
  email: [...ofTestPerson, "GET /v1/identity", ...personExport],
  displayName: [...ofTestPerson, ...personExport],
  liveEmail: [...ofLivePerson, "GET /v1/identity"],
  liveName: [...ofLivePerson, "GET /v1/identity"],
  externalId: ofLivePerson,
  formerEmail: ["POST /operator/consumers"],
  formerName: ["POST /operator/consumers"],
  correctedEmail: ofCorrectedPerson,
  correctedName: ofCorrectedPerson,
  rightsNote: [...rightsAnswers, "POST /operator/rights-requests/{rightsRequestId}/close", ...personExport],
  // Only the request that records an erased person's data may return it.
  erasedEmail: ["POST /operator/consumers"],
  erasedName: ["POST /operator/consumers"],
  erasedExternalId: ["POST /operator/consumers"],
  erasedNote: ["POST /operator/rights-requests"],
  operatorReason: ["GET /operator/actions", "POST /operator/ledger/transfers"],
  contactEmail: ofMerchant,
  contactName: ofMerchant,
  // The contact for questions about personal data, named in the notice and the receipt.
  supportEmail: [
    ...ofMerchant,
    "GET /operator/data-requests/pending",
    "GET /operator/merchants/{merchantId}/receipts",
    "GET /v1/grants/{grantId}/receipts",
    ...personExport
  ],
  registration: ofMerchant,
  testKey: keyMade,
  liveKey: keyMade,
  rotatedKey: ["POST /merchants/{merchantId}/api-keys/{apiKeyId}/rotate"],
  webhookSecret: ["POST /merchants/{merchantId}/webhooks"],
  rotatedSecret: ["POST /merchants/{merchantId}/webhooks/{endpointId}/rotate-secret"],
  testLink: ["POST /v1/data-requests", "GET /operator/data-requests/pending"],
  liveLink: ["GET /operator/data-requests/pending"]
}
