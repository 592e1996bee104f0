import { readFileSync } from "node:fs"
import path from "node:path"
import type { Surety } from "@surety/embed"
import { Schema, SchemaAST } from "effect"
import { assert, describe, it } from "vitest"
import { makeSurety } from "../Shop.js"
import { type Like, type Unlike, walk } from "./Walk.js"

type Listed = { readonly id: string }
type List = { readonly data: ReadonlyArray<unknown>; readonly nextCursor?: string }
type Result = { readonly id: string } | { readonly data: ReadonlyArray<Listed>; readonly nextCursor?: string }

/**
 * Calls that return neither a record with an `id` nor a list of such records, and why. Compiling this file proves the
 * map complete.
 */
const withoutId: Readonly<Record<Unlike<Result>, string>> = {
  "merchants.history": "lines of a merchant's history, told apart by their times",
  "webhooks.sendTest": "two records, each with its id",
  "webhooks.recover": "how many events are due",
  "events.resend": "how many deliveries are due",
  "events.types": "topics, each named alone",
  "grants.issueLink": "a link, known by its secret url alone",
  "identity.read": "a person's values, not a record",
  "receipts.verifyChain": "a verdict on the chain",
  "verifications.callback": "whether the call was authentic",
  "verifications.providerCalled": "whether the call changed anything",
  "people.export": "all that is held of a person",
  "people.exportPage": "a page",
  "people.erase": "what stays of a person, who has no id any more",
  "ledger.trialBalance": "sums",
  "ledger.audit": "a verdict on the books",
  "sandbox.switchRefunds": "a setting of the merchant",
  "sandbox.clock": "a merchant's clock",
  "sandbox.advanceClock": "a merchant's clock"
}

type None<Names> = [Names] extends [never] ? true : Names

/** Compiling this file proves that no call returns a bare array or nothing. A compile error names the calls that do. */
const isNoneBare: None<Like<ReadonlyArray<unknown>> | Like<undefined>> = true

const lists: ReadonlyArray<Like<List>> = ["refunds.list", "apiKeys.list", "events.follow", "receipts.ofGrant"]

/** Calls that accept a person's `userId` but not their `serviceId`, and why. */
const onlyUserId: Readonly<Record<string, string>> = {
  "consumers.list": "filters by the record's own values; one person is read by consumers.get"
}

const isOptional = (field: unknown): boolean => Schema.isSchema(field) && SchemaAST.isOptional(field.ast)

describe("Every call of the facade", () => {
  it("names a person by userId wherever it does by serviceId", async () => {
    const calls = walk(await makeSurety())
    const naming = calls.filter(({ fields }) => fields !== undefined && ("serviceId" in fields || "userId" in fields))
    assert.isAbove(naming.length, 20)
    assert.deepStrictEqual(
      naming.filter(({ fields = {}, name }) => !("userId" in fields && "serviceId" in fields) && !(name in onlyUserId)),
      []
    )
  })

  it("requires the environment wherever it takes one", async () => {
    const calls = walk(await makeSurety())
    const taking = calls.filter(({ fields = {} }) => "environment" in fields)
    assert.isAbove(taking.length, 40)
    const defaulted = taking.filter(({ fields = {} }) => isOptional(fields.environment)).map(({ name }) => name)
    // In `actions.list`, `environment` is not a filter: it belongs to the named person.
    assert.deepStrictEqual(defaulted, ["actions.list"])
  })

  it("has one form of an actor, of a merchant and of paging", async () => {
    const calls = walk(await makeSurety())
    for (const field of ["actor", "limit", "cursor", "merchantId"]) {
      const forms = new Set(
        calls.flatMap(({ fields = {}, name }) =>
          field in fields && !name.startsWith("actions.")
            ? [JSON.stringify(Schema.isSchema(fields[field]) && kindOf(fields[field].ast))]
            : []
        )
      )
      assert.strictEqual(forms.size, 1, `${field}: ${[...forms].join(" ")}`)
    }
  })

  it("answers a record with its id, or a list of them, or says why not", async () => {
    const names = new Set(walk(await makeSurety()).map(({ name }) => name))
    assert.deepStrictEqual(
      Object.keys(withoutId).filter((name) => !names.has(name)),
      []
    )
    assert.isTrue(isNoneBare)
    assert.isNotEmpty(lists)
  })
})

/** Returns the form of a field's value: its encoded type without constraints, or the names of an object's fields. */
const kindOf = (ast: SchemaAST.AST): unknown => {
  const encoded = SchemaAST.toEncoded(ast)
  return SchemaAST.isObjects(encoded) ? encoded.propertySignatures.map(({ name }) => name) : encoded._tag
}

/** Tags of the errors that calls fail with. Compiling this file proves the map complete. */
const errors: { readonly [Tag in Surety.Error["_tag"]]: true } = {
  AccountNotFound: true,
  ApiKeyNotFound: true,
  AskedRecently: true,
  AskedTooOften: true,
  AskingBlockNotFound: true,
  AskingBlocked: true,
  ClockTooFar: true,
  CodeChannelUnknown: true,
  ConsentLinkUnknown: true,
  ConsentRequired: true,
  ConsumerNotFound: true,
  ConsumerNotLinked: true,
  DataRequestDecided: true,
  DataRequestNotFound: true,
  DirectoryUnavailable: true,
  EndpointDisabled: true,
  EndpointNotFound: true,
  ErasuresExhausted: true,
  EventArchived: true,
  EventNotFound: true,
  ExternalIdNotFound: true,
  ExternalIdTaken: true,
  GrantNotFound: true,
  HostRequestKeyReused: true,
  HostRequestNotFound: true,
  IdempotencyInProgress: true,
  IdempotencyKeyReused: true,
  InsufficientBalance: true,
  InvalidInput: true,
  KycProviderUnavailable: true,
  MerchantNotActive: true,
  MerchantNotFound: true,
  PaymentAlreadyRecorded: true,
  PaymentAlreadySettled: true,
  PaymentNotFound: true,
  PersonDataUnavailable: true,
  PersonNotFound: true,
  ProposalNotFound: true,
  RefundNotFound: true,
  RefundNotWaiting: true,
  RefundOutcomeUnknown: true,
  RefundRefused: true,
  RefundsPending: true,
  ReturnUrlNotAllowed: true,
  RightsRequestNotFound: true,
  ServiceIdTaken: true,
  StatusChangeNotAllowed: true,
  StoreError: true,
  TargetNotAllowed: true,
  TooManyEndpoints: true,
  TooManyUnknownConsumers: true,
  UserIdNotFound: true,
  UserIdTaken: true,
  VerificationBusy: true,
  VerificationNeedsNoAction: true,
  VerificationNotFound: true,
  VerificationRefused: true,
  WalletBalanceTooSmall: true
}

it("Every error of a call is exported by its name", () => {
  const index = readFileSync(path.resolve(import.meta.dirname, "../../src/index.ts"), "utf8")
  const exported = new Set(index.match(/\b[A-Z]\w+/g))
  assert.deepStrictEqual(
    Object.keys(errors).filter((name) => !exported.has(name)),
    []
  )
})

/** Uses types by their public names. Compiling this file proves that `refunds.create` takes and returns them. */
export const named = async (surety: Surety, input: Surety.RefundInput): Promise<Surety.Refund | Surety.RefundError> => {
  const outcome = await surety.refunds.create(input)
  return outcome.ok ? outcome.value : outcome.error
}
