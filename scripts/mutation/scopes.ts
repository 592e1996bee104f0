/** A part of the sources that is mutated with its own tests alone. */
export interface MutationScope {
  /** Globs of sources. */
  readonly mutate: ReadonlyArray<string>
  /** Globs of the tests that may notice a change. */
  readonly tests: ReadonlyArray<string>
  /** Globs of those of them that start other programs or read built files. */
  readonly exclude?: ReadonlyArray<string>
}

const core = (directory: string, ...tests: ReadonlyArray<string>): MutationScope => ({
  mutate: [`packages/core/src/${directory}/*.ts`],
  tests: [directory, ...tests].map((each) => `packages/core/test/${each}/*.test.ts`)
})

const consentDecisions = [
  "decideAsk",
  "decideCode",
  "decideConsent",
  "decideDataRequest",
  "decideGrant",
  "decideIdentityRead"
]

/** What `pnpm mutate <name>…` mutates. */
export const scopes: Readonly<Record<string, MutationScope>> = {
  refund: core("refund"),
  payment: core("payment"),
  secret: core("secret"),
  idempotency: core("idempotency"),
  limit: core("limit"),
  values: {
    mutate: ["Money", "Ids", "Currency", "CheckCharacter"].map((name) => `packages/core/src/${name}.ts`),
    tests: ["packages/core/test/*.test.ts"]
  },
  consent: {
    mutate: [...consentDecisions, "ReceiptChain"].map((name) => `packages/core/src/consent/${name}.ts`),
    tests: ["packages/core/test/consent/{decide*,ReceiptChain}.test.ts"]
  },
  kyc: {
    mutate: ["decideVerification", "planProgress", "KycPolicy", "KycStanding", "BirthDate", "IdNumber"].map(
      (name) => `packages/core/src/kyc/${name}.ts`
    ),
    tests: ["packages/core/test/kyc/{decideVerification,planProgress,KycPolicy,KycStanding,BirthDate,IdNumber}.test.ts"]
  },
  verifier: {
    mutate: ["packages/verifier/src/*.ts", "!packages/verifier/src/samplePayloads.ts"],
    tests: ["packages/verifier/test/*.test.ts"],
    exclude: ["packages/verifier/test/{package,types}.test.ts"]
  },
  client: {
    mutate: ["RetryPolicy", "RetryAfter", "attempt", "send", "pause", "waitUntilSettled"].map(
      (name) => `packages/client/src/${name}.ts`
    ),
    tests: ["RetryPolicy", "sending", "waitFor", "client"].map((name) => `packages/client/test/${name}.test.ts`)
  }
}
