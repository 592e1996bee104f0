import type { ConsolePage } from "@surety/console/page/ConsolePage"
import { pages } from "@surety/console/page/pages"
import { NGN } from "@surety/core/Currency"
import { AskingBlocks } from "@surety/core/consent/asking/AskingBlocks"
import { Grants } from "@surety/core/consent/grant/Grants"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { Receipts } from "@surety/core/consent/receipt/Receipts"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { Consumers } from "@surety/core/consumer/Consumers"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import type { Environment } from "@surety/core/Environment"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { EventId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { parseVerification } from "@surety/core/kyc/command/VerificationCommand"
import { Verifications } from "@surety/core/kyc/verification/Verifications"
import { accountId } from "@surety/core/ledger/AccountId"
import { Ledger } from "@surety/core/ledger/Ledger"
import { ApiKeys } from "@surety/core/merchant/ApiKeys"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Approvals } from "@surety/core/operator/approval/Approvals"
import type { ProposedCommand } from "@surety/core/operator/approval/Proposal"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { OperatorSessions } from "@surety/core/operator/session/OperatorSessions"
import { PersonLog } from "@surety/core/person/PersonLog"
import { PersonRights } from "@surety/core/person/PersonRights"
import { RightsRequests } from "@surety/core/person/RightsRequests"
import { Effect, Option, Redacted, Result } from "effect"
import { giveUp, receive } from "./receiving.js"
import * as Scene from "./Scene.js"
import { formsIn, type Visitor } from "./Visitor.js"

const everything = {
  actor: undefined,
  kind: undefined,
  target: undefined,
  merchantId: undefined,
  serviceId: undefined,
  since: undefined,
  until: undefined
}

/** A reason that every form accepts. */
export const reason = "Asked for by the merchant on the phone."

/** A page to open. `prepare` first sets up the state in which the page shows its forms. */
export interface Stop {
  readonly page: ConsolePage
  readonly name: string
  readonly prepare: (records: Records, browser: Visitor) => Effect.Effect<unknown, unknown, never>
  /** Values to enter in the page's forms, besides the reason. Other fields are sent as `formsIn` reads them. */
  readonly fill?: ((records: Records) => Readonly<Record<string, string>>) | undefined
}

/** A merchant, a person and their records in one environment, created by `recordsIn`. */
export type Records = Effect.Success<ReturnType<typeof recordsIn>>

/** Creates further records for the pages, such as data requests and an API key. Returns path parameters. */
const moreOf = Effect.fnUntraced(function* (
  { consumer, merchant, scope }: Effect.Success<ReturnType<typeof Scene.seed>>,
  environment: Environment
) {
  const { serviceId } = consumer
  const text = /^[="]/u.test(merchant.profile.name) ? merchant.profile.name : "To send you what you ordered"
  const requests = yield* DataRequests
  const ask = (field: string, key: string) =>
    requests.create(scope, IdempotencyKey.make(`${key}-${merchant.id}`), {
      serviceId,
      requestedFields: [IdentityField.make(field)],
      purpose: text
    })
  yield* ask("email", "asked")
  yield* ask("display_name", "disowned")
  const { data: asked } = yield* requests.list(scope, { userId: undefined }, { limit: 10, cursor: undefined })
  const [disowned, waiting] = asked
  if (disowned === undefined || waiting === undefined) return yield* Effect.die("No request was made")
  const grant = yield* (yield* Grants).create(scope, {
    serviceId,
    fields: ["country"],
    actor: { kind: "OPERATOR", name: "test" },
    origin: "OPERATOR"
  })
  yield* requests.deny({ id: disowned.id, scope }, { actor: { kind: "OPERATOR", name: "test" }, reason: "NOT_ME" })
  const endpoints = yield* WebhookEndpoints
  const url = "https://old.corner.example/surety"
  const old = yield* endpoints.register(merchant.id, { url, environment, topics: undefined })
  yield* endpoints.update(merchant.id, old.endpoint.id, { status: "DISABLED" })
  yield* (yield* IdentityReads).read(scope, { serviceId })
  yield* receive(1)
  const rights = yield* (yield* RightsRequests).record({
    environment,
    serviceId,
    kind: "ERASE",
    note: Redacted.make(text)
  })
  const propose = (command: ProposedCommand) =>
    Effect.flatMap(Approvals, (approvals) =>
      approvals.propose(IdempotencyKey.make(`${command._tag}-${merchant.id}-${environment}`), {
        environment,
        command,
        reason,
        actor: "ada"
      })
    )
  const transfer = yield* propose({
    _tag: "Transfer",
    kind: "FUNDING",
    amount: { currency: NGN, minor: 2_000_000n },
    merchantId: merchant.id
  })
  const erasure = yield* propose({ _tag: "Erasure", serviceId })
  // A malformed number needs no provider, so the verification ends immediately.
  const command = parseVerification({
    serviceId,
    kind: "bvn",
    id: Redacted.make("0123"),
    verificationConsent: true
  })
  if (Result.isFailure(command)) return yield* Effect.die("No verification was made")
  const verified = yield* (yield* Verifications).submit(
    scope,
    IdempotencyKey.make(`kyc-${merchant.id}`),
    command.success
  )
  const { session } = yield* (yield* OperatorSessions).open({
    operator: "tunde",
    roles: ["viewer"],
    signedInBy: "HOST"
  })
  const actions = yield* (yield* OperatorActions).list(everything, { limit: 1, cursor: undefined })
  const settlement = { environment, kind: "SETTLEMENT", owner: merchant.id, currency: NGN } as const
  const statement = yield* (yield* Ledger).postings(settlement, { limit: 1, cursor: undefined })
  const key = yield* (yield* ApiKeys).issue(merchant.id, environment, { name: text.slice(0, 40) })
  const receipts = yield* (yield* Receipts).list(scope, { userId: undefined }, { limit: 1, cursor: undefined })
  return {
    requestId: waiting.id,
    grantId: grant.id,
    rightsId: rights.id,
    proposalId: transfer.proposal.id,
    erasureId: erasure.proposal.id,
    verificationId: Option.getOrThrow(verified.verification).id,
    sessionId: session.id,
    actionId: actions.data[0]?.id ?? "none",
    transferId: statement.data[0]?.transfer.id ?? "none",
    keyId: key.key.id,
    receiptId: receipts.data[0]?.id ?? "none",
    accountId: accountId(settlement)
  }
})

/** Creates records, and returns them with the path parameters of every page. */
export const recordsIn = Effect.fnUntraced(function* ({ run }: Scene.Scene, environment: Environment, name?: string) {
  const seeded = yield* run(Scene.seed(environment, name))
  const { data } = yield* run(
    Effect.flatMap(EventLog, (log) => log.list(seeded.scope, { limit: 10, cursor: undefined }))
  )
  const event = data.find(({ topic }) => topic === "refund.completed")
  const more = yield* run(moreOf(seeded, environment))
  return {
    ...seeded,
    environment,
    run,
    params: {
      merchantId: seeded.merchant.id,
      refundId: seeded.refund.id,
      endpointId: seeded.endpoint.id,
      eventId: event?.id ?? "none",
      consumerId: seeded.consumer.serviceId,
      paymentId: seeded.payment.id,
      ...more
    }
  }
})

/** Builds the path of a page, without the public url's own path. `params` are the path parameters. */
export const pathOf = (
  { path }: Pick<ConsolePage, "path">,
  environment: Environment,
  params: Readonly<Record<string, string>>
): string =>
  `/console/${environment.toLowerCase()}/${path.replace(/:(\w+)/gu, (_, name: string) => {
    const value = params[name]
    if (value === undefined)
      throw new Error(`Add "${name}" of the page "${path}" to recordsIn in test/support/walking.ts`)
    return value
  })}`

export const asIs = () => Effect.void

export const liftBlock = ({ consumer: { serviceId }, scope }: Pick<Records, "consumer" | "scope">) =>
  Effect.flatMap(AskingBlocks, (blocks) => blocks.lift(scope, serviceId))

/** Preparations that make pages show their forms, by path. Pages not listed are opened as they are. */
const prepared: Readonly<Record<string, Stop["prepare"]>> = {
  "merchants/:merchantId/activate": ({ merchant, run }) =>
    run(
      Effect.flatMap(Merchants, (merchants) =>
        merchants.changeStatus(merchant.id, { to: "SUSPENDED", actor: "test", reason: "To be activated again" })
      )
    ),
  // Gives up a delivery, so the endpoint's page has one to recover.
  "endpoints/:endpointId": ({ endpoint, params, run, scope }) =>
    run(giveUp(scope, EventId.make(params.eventId), endpoint.id)),
  "consents/links": ({ run, ...records }) => run(liftBlock(records)),
  // Lifts the block. While it is in force, no one can approve the merchant's requests to this person.
  "consents/requests/:requestId": ({ run, ...records }) => run(liftBlock(records)),
  // The page's fields contain the person's details, which the `look` form must show first.
  "people/:consumerId/correct": ({ environment, params }, browser) =>
    Effect.promise(async () => {
      const path = pathOf({ path: "people/:consumerId" }, environment, params)
      const [form] = formsIn(path, (await browser.get(path)).text).filter(({ fields }) => fields.form === "look")
      await browser.post(path, { ...form?.fields, reason })
    })
}

/** Pages to open again in another state, such as with a disabled endpoint. */
const again: ReadonlyArray<Omit<Stop, "page"> & { readonly path: string }> = [
  {
    path: "endpoints/:endpointId",
    name: "endpoints/:endpointId, disabled",
    prepare: ({ endpoint, merchant, run }) =>
      run(Effect.flatMap(WebhookEndpoints, (all) => all.update(merchant.id, endpoint.id, { status: "DISABLED" })))
  },
  { path: "people/:consumerId/correct", name: "people/:consumerId/correct, masked", prepare: asIs },
  {
    path: "people/:consumerId/restrict",
    name: "people/:consumerId/restrict, restricted",
    prepare: ({ consumer: { environment, serviceId }, run }) =>
      run(Effect.flatMap(PersonRights, (rights) => rights.restrict({ environment, serviceId, actor: "test", reason })))
  },
  {
    path: "approvals/:proposalId",
    name: "approvals/:proposalId, of an erasure",
    prepare: (records) =>
      Effect.sync(() => {
        records.params.proposalId = records.params.erasureId
      })
  }
]

/** Values to enter in the forms of some pages, by path. Other forms keep their current values. */
const filled: Readonly<Record<string, Stop["fill"]>> = {
  "people/:consumerId/erase": ({ consumer }) => ({ serviceId: consumer.serviceId }),
  "people/:consumerId/correct": () => ({ displayName: "Ada Obi-Eze" }),
  "consents/links": ({ params }) => ({ request: params.requestId }),
  "ledger/post": ({ merchant }) => ({ party: merchant.id, amount: "1,000.50" }),
  "approvals/:proposalId": ({ consumer }) => ({ amount: "20,000.00", serviceId: consumer.serviceId })
}

export const stops: ReadonlyArray<Stop> = [
  ...pages.map((page) => ({ page, name: page.path, prepare: prepared[page.path] ?? asIs, fill: filled[page.path] })),
  ...again.flatMap(({ path, ...more }) =>
    pages.filter((page) => page.path === path).map((page) => ({ page, fill: filled[path], ...more }))
  )
]

/**
 * Returns the newest operator actions except sign-ins, and a JSON string of records that forms may change. Compare the
 * results from before and after a form is submitted.
 */
export const standing = ({ consumer, endpoint, merchant, run, scope }: Records) =>
  run(
    Effect.gen(function* () {
      const actions = yield* (yield* OperatorActions).list(everything, { limit: 100, cursor: undefined })
      const { settings, status } = yield* (yield* Merchants).get(merchant.id)
      const endpoints = yield* (yield* WebhookEndpoints).get(merchant.id, endpoint.id)
      const deliveries = yield* (yield* EventLog).listDeliveries(
        { environment: scope.environment, status: undefined, merchantId: merchant.id, endpointId: undefined },
        { limit: 100, cursor: undefined }
      )
      const changes = actions.data.filter(({ kind }) => kind !== "session.opened")
      const person = yield* (yield* Consumers).get(scope.environment, consumer.serviceId).pipe(
        Effect.map(({ displayName }) => displayName),
        Effect.option
      )
      const held = Option.getOrUndefined(yield* (yield* PersonLog).holdings(scope.environment, consumer.serviceId))
      const proposals = yield* (yield* Approvals).list(scope.environment, undefined, { limit: 100, cursor: undefined })
      const people = [
        Option.map(person, (name) => name && Redacted.value(name)),
        held?.restrictedAt,
        held?.grants,
        held?.dataRequests.map(({ status }) => status),
        held?.askingBlocks,
        held?.rightsRequests.map(({ status }) => status),
        proposals.data.map(({ id, status }) => [id, status])
      ]
      return {
        actions: changes,
        text: JSON.stringify([changes[0]?.id, settings, status, endpoints.status, deliveries.data, people])
      }
    })
  )
