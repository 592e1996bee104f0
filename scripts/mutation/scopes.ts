/** Source files that are mutation-tested against only their own tests. */
export interface MutationScope {
  /** Globs of the sources to mutate. */
  readonly mutate: ReadonlyArray<string>
  /** Globs of the tests that may detect a change. */
  readonly tests: ReadonlyArray<string>
  /** Globs of tests to leave out, such as those that start other programs. */
  readonly exclude?: ReadonlyArray<string>
}

const core = (directory: string): MutationScope => ({
  mutate: [`packages/core/src/${directory}/*.ts`],
  tests: [`packages/core/test/${directory}/*.test.ts`]
})

const rules = (...names: ReadonlyArray<string>): MutationScope => ({
  mutate: names.map((name) => `packages/core/src/${name}.ts`),
  tests: names.map((name) => `packages/core/test/${name}.test.ts`)
})

const testedToo = (scope: MutationScope, ...names: ReadonlyArray<string>): MutationScope => ({
  ...scope,
  tests: [...scope.tests, ...names.map((name) => `packages/core/test/${name}.test.ts`)]
})

const services = (directories: ReadonlyArray<string>, ...names: ReadonlyArray<string>): MutationScope => ({
  mutate: names.map((name) => `packages/core/src/${name}.ts`),
  tests: directories.map((directory) => `packages/core/test/${directory}/*.test.ts`)
})

/**
 * Scopes for `pnpm mutate <name>…`.
 *
 * To be covered next, most important first: `core/payment`, `core/limit`, and `Money`, `Ids`, `Currency` and
 * `CheckCharacter`.
 */
export const scopes: Readonly<Record<string, MutationScope>> = {
  refund: core("refund"),
  secret: core("secret"),
  idempotency: core("idempotency"),
  consent: testedToo(
    rules(
      "consent/asking/decideAsk",
      "consent/admission/decideCode",
      "consent/request/decideConsent",
      "consent/request/decideDataRequest",
      "consent/grant/decideGrant",
      "consent/read/decideIdentityRead",
      "consent/receipt/ReceiptChain"
    ),
    "consent/request/approval",
    "consent/request/approvedDuration",
    "consent/request/decisionReceipts",
    "consent/request/denial",
    "consent/read/furtherReads"
  ),
  kyc: testedToo(
    rules(
      "kyc/verification/decideVerification",
      "kyc/verification/planProgress",
      "kyc/evidence/KycPolicy",
      "kyc/evidence/KycStanding",
      "kyc/command/BirthDate",
      "kyc/command/IdNumber"
    ),
    "kyc/verification/planHolderActions"
  ),
  "consent-services": services(
    ["consent", "consent/{grant,link,notification,read,receipt,request}"],
    "consent/request/DataRequest",
    "consent/request/DataRequests",
    "consent/request/createDataRequest",
    "consent/request/listDataRequests",
    "consent/grant/Grants",
    "consent/grant/ConsentPolicy",
    "consent/read/IdentityReads",
    "consent/receipt/Receipts",
    "consent/receipt/ReceiptDrafts",
    "consent/link/ConsentToken",
    "consent/link/ManagementLink",
    "consent/link/ManagementLinks",
    "consent/link/PersonConsents",
    "consent/ConsentSweep",
    "consent/ConsentUpkeep",
    "consent/asking/AskingBlocks"
  ),
  "consent-limits": services(
    ["consent/{admission,asking}"],
    "consent/admission/OneTimeCodes",
    "consent/admission/LinkGuessLimit",
    "consent/asking/UnknownConsumerLimit"
  ),
  "kyc-services": services(
    ["kyc", "kyc/verification"],
    "kyc/KycSchedule",
    "kyc/verification/Verifications",
    "kyc/verification/Submissions",
    "kyc/verification/VerificationResults",
    "kyc/verification/VerificationRecovery",
    "kyc/verification/providerCalls",
    "kyc/verification/savedProgress",
    "kyc/verification/verificationReceipt",
    "kyc/verification/erasedVerification",
    "kyc/verification/endEvent"
  ),
  "kyc-providers": services(
    ["kyc/{provider,verification}"],
    "kyc/provider/CircuitBreaker",
    "kyc/provider/GuardedProvider",
    "kyc/provider/KycProviders",
    "kyc/provider/KycRoutes",
    "kyc/provider/comparePerson"
  ),
  verifier: {
    mutate: [
      "packages/verifier/src/**/*.ts",
      "!packages/verifier/src/{index,testing,Payloads.generated,samplePayloads.generated}.ts"
    ],
    tests: ["packages/verifier/test/*.test.ts", "packages/verifier/test/{body,signature}/*.test.ts"],
    // These tests start programs, read files of other packages, or slowly repeat what other tests cover.
    exclude: [
      "packages/verifier/test/{package,types,generated,interoperability,tampering,vectors,examples,deliveryVectors}.test.ts"
    ]
  },
  client: {
    mutate: ["RetryPolicy", "RetryAfter", "attempt", "send", "pause", "waitUntilSettled"].map(
      (name) => `packages/client/src/call/${name}.ts`
    ),
    tests: ["RetryPolicy", "sending", "waitFor", "client"].map((name) => `packages/client/test/${name}.test.ts`)
  }
}
