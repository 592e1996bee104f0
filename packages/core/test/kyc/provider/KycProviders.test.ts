import { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import { sandbox } from "@surety/core/kyc/provider/SandboxKycProvider"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import * as KycProviderLaws from "@surety/testing/kyc/KycProviderLaws"
import { Layer } from "effect"

const notFound = { kind: "phone", id: "08000000001" } as const

KycProviderLaws.suite("sandbox", Layer.succeed(KycProvider, sandbox), {
  verified: { kind: "bvn", id: "22222222222" },
  notFound
})

// The fake answers in turn: the known number of the first law, the unknown one of the second.
KycProviderLaws.suite("fake", FakeKycProvider.make({ submissions: ["verified", "not_found"] }).layer, {
  verified: { kind: "nin", id: "55555555555" },
  notFound
})
