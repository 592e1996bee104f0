import { DateTime, Effect, Layer, Option, Redacted } from "effect"
import type { Environment } from "../../Environment.js"
import {
  type RecordPlace,
  type SearchBounds,
  type SearchedKind,
  type SearchGroup,
  type SearchHit,
  SearchIndex,
  searchedKinds
} from "../../search/SearchIndex.js"
import type { PlacedId, PlacedKind, SearchTerms } from "../../search/SearchTerms.js"
import { environmentKey, MemoryState, scopedKey } from "../MemoryState.js"

type State = MemoryState["Service"]

type Placed = Omit<RecordPlace, "kind">

const ofMerchant = ({ environment, id, merchantId }: Placed): Placed => ({
  id,
  ...(environment === undefined ? {} : { environment }),
  ...(merchantId === undefined ? {} : { merchantId })
})

const ofPerson = ({ serviceId, ...record }: Placed): Placed => ({
  ...ofMerchant(record),
  ...(serviceId === undefined ? {} : { serviceId })
})

/** Returns an object with the person's service id, empty if the record has no person or the person is erased. */
const personOf = (state: State, environment: Environment, userId: string | undefined) => {
  const consumer = userId === undefined ? undefined : state.consumers.get(environmentKey(environment, userId))
  return consumer === undefined ? {} : { serviceId: consumer.serviceId }
}

const placed: Readonly<Record<PlacedKind, (state: State) => ReadonlyArray<Placed>>> = {
  merchant: ({ merchants }) => [...merchants.values()].map(({ id }) => ({ id, merchantId: id })),
  api_key: ({ apiKeys }) => [...apiKeys.values()].map(ofMerchant),
  endpoint: ({ endpoints }) => [...endpoints.values()].map(ofMerchant),
  verification: ({ verifications }) => [...verifications.values()].map(({ verification }) => ofPerson(verification)),
  refund: ({ refunds }) => [...refunds.values()].map(({ refund }) => ofMerchant(refund)),
  transfer: ({ transfers }) =>
    [...transfers.values()].map(({ credit, id }) => ({ id, environment: credit.environment })),
  data_request: ({ dataRequests }) => [...dataRequests.values()].map(({ request }) => ofPerson(request)),
  grant: ({ grants }) => [...grants.values()].map(ofPerson),
  receipt: (state) =>
    [...state.receipts.values()].map((receipt) => ({
      ...ofMerchant(receipt),
      ...personOf(state, receipt.environment, receipt.userId)
    })),
  identity_read: ({ identityReads }) => [...identityReads.values()].map(ofPerson),
  rights_request: ({ rightsRequests }) => [...rightsRequests.values()].map(ofPerson),
  event: ({ events }) => [...events.values()].map(({ event }) => ofMerchant(event)),
  delivery: ({ deliveries }) => [...deliveries.values()].map(({ delivery }) => ofMerchant(delivery)),
  operator_action: ({ operatorActions }) => [...operatorActions.values()].map(ofPerson),
  proposal: ({ proposals }) =>
    [...proposals.values()].map(({ proposal: { command, environment, id } }) => ({
      id,
      environment,
      ...(command._tag === "Erasure" || command.merchantId === undefined ? {} : { merchantId: command.merchantId }),
      ...(command.serviceId === undefined ? {} : { serviceId: command.serviceId })
    }))
}

const placeOf = (state: State, { id, kind }: PlacedId): RecordPlace | undefined => {
  const found = placed[kind](state).find((record) => record.id === id)
  return found && { kind, ...found }
}

const by = (rules: Readonly<Partial<Record<SearchHit["by"], boolean>>>): SearchHit["by"] | undefined =>
  (["id", "code", "reference", "email", "name"] as const).find((rule) => rules[rule])

const startsWith = (name: string | undefined, start: SearchTerms["nameStart"]): boolean =>
  start !== undefined && (name ?? "").toLowerCase().startsWith(Redacted.value(start).toLowerCase())

function* merchantsIn(state: State, terms: SearchTerms): Generator<SearchHit> {
  const text = Redacted.value(terms.text)
  for (const { businessCode, createdAt, externalId, id, profile, status } of state.merchants.values()) {
    const rule = by({
      id: externalId === text,
      code: businessCode === terms.businessCode,
      name: startsWith(profile.name, terms.nameStart)
    })
    if (rule !== undefined) {
      yield { id, by: rule, at: createdAt, merchantId: id, name: Redacted.make(profile.name), status }
    }
  }
}

function* peopleIn(state: State, environment: Environment, terms: SearchTerms): Generator<SearchHit> {
  const text = Redacted.value(terms.text)
  const address = terms.email === undefined ? undefined : Redacted.value(terms.email).toLowerCase()
  for (const consumer of state.consumers.values()) {
    if (consumer.environment !== environment) continue
    const name = consumer.displayName === undefined ? undefined : Redacted.value(consumer.displayName)
    const email = consumer.email === undefined ? undefined : Redacted.value(consumer.email).toLowerCase()
    const rule = by({
      id: consumer.serviceId === terms.serviceId || consumer.userId === text || consumer.externalId === text,
      email: address !== undefined && email === address,
      name: startsWith(name, terms.nameStart)
    })
    if (rule === undefined) continue
    yield {
      id: consumer.serviceId,
      by: rule,
      at: consumer.createdAt,
      serviceId: consumer.serviceId,
      ...(name === undefined ? {} : { name: Redacted.make(name) })
    }
  }
}

function* paymentsIn(state: State, environment: Environment, terms: SearchTerms): Generator<SearchHit> {
  const text = Redacted.value(terms.text)
  for (const payment of state.payments.values()) {
    if (payment.environment !== environment) continue
    const rule = by({ id: payment.id === text, reference: payment.reference === text })
    if (rule === undefined) continue
    const { amount, createdAt: at, id, merchantId, status, userId } = payment
    yield { id, by: rule, at, merchantId, status, amount, ...personOf(state, environment, userId) }
  }
}

function* refundsIn(state: State, environment: Environment, terms: SearchTerms): Generator<SearchHit> {
  const text = Redacted.value(terms.text)
  for (const { refund } of state.refunds.values()) {
    if (refund.environment !== environment) continue
    const payment = state.payments.get(scopedKey(refund, refund.paymentId))
    const rule = by({ reference: refund.merchantReference === text || payment?.reference === text })
    if (rule === undefined) continue
    const { amount, createdAt: at, id, merchantId, status } = refund
    yield { id, by: rule, at, merchantId, status, amount, ...personOf(state, environment, payment?.userId) }
  }
}

const hitsOf: Readonly<
  Record<SearchedKind, (state: State, environment: Environment, terms: SearchTerms) => Iterable<SearchHit>>
> = {
  merchant: (state, _, terms) => merchantsIn(state, terms),
  person: peopleIn,
  payment: paymentsIn,
  refund: refundsIn
}

/** Orders hits: exact matches before name matches, then newest first. */
const inOrder = (a: SearchHit, b: SearchHit): number =>
  Number(a.by === "name") - Number(b.by === "name") || DateTime.Order(b.at, a.at) || (a.id < b.id ? 1 : -1)

const groupOf = (kind: SearchedKind, found: Iterable<SearchHit>, { countTo, limit }: SearchBounds): SearchGroup => {
  const hits = [...found].sort(inOrder)
  return { kind, hits: hits.slice(0, limit), count: Math.min(hits.length, countTo) }
}

export const make = (state: State): SearchIndex["Service"] =>
  SearchIndex.of({
    place: (id) => Effect.sync(() => Option.fromUndefinedOr(placeOf(state, id))),

    find: (environment, terms, bounds) =>
      Effect.sync(() =>
        searchedKinds
          .map((kind) => groupOf(kind, hitsOf[kind](state, environment, terms), bounds))
          .filter(({ count }) => count > 0)
      )
  })

export const layer: Layer.Layer<SearchIndex, never, MemoryState> = Layer.effect(
  SearchIndex,
  Effect.map(MemoryState, make)
)
