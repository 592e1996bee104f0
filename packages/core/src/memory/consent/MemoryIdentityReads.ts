import type { PersonLookup } from "../../consent/ConsentStore.js"
import type { Grant } from "../../consent/grant/Grant.js"
import type {
  IdentityReadDecision,
  IdentityReadPlan,
  IdentityReadSnapshot
} from "../../consent/read/decideIdentityRead.js"
import type { DataRequest } from "../../consent/request/DataRequest.js"
import type { Consumer } from "../../consumer/Consumer.js"
import type { UserId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { requireThat } from "../ConstraintViolated.js"
import { environmentKey, isOf, type MemoryState } from "../MemoryState.js"
import type { CommitAttempt } from "./MemoryConsentCommit.js"

type State = MemoryState["Service"]

export const consumerWith = (state: State, { scope, serviceId }: PersonLookup): Consumer | undefined => {
  const key = state.consumersByServiceId.get(environmentKey(scope.environment, serviceId))
  return key === undefined ? undefined : state.consumers.get(key)
}

export const userOf = (state: State, lookup: PersonLookup): UserId | undefined => consumerWith(state, lookup)?.userId

/** Returns the person's grants to the merchant, including ended ones. */
export const grantsOf = (state: State, scope: MerchantScope, userId: UserId | undefined): ReadonlyArray<Grant> =>
  [...state.grants.values()].filter((grant) => grant.userId === userId && isOf(scope, grant))

const requestsOf = (state: State, scope: MerchantScope, userId: UserId | undefined): ReadonlyArray<DataRequest> =>
  [...state.dataRequests.values()]
    .map(({ request }) => request)
    .filter((request) => request.userId === userId && isOf(scope, request))

export const isRestricted = (state: State, { environment, userId }: Consumer): boolean =>
  state.restrictions.has(environmentKey(environment, userId))

/** A restricted person is treated like an unknown one. */
export const readSnapshotOf = (state: State, lookup: PersonLookup): IdentityReadSnapshot => {
  const consumer = consumerWith(state, lookup)
  const userId = consumer && isRestricted(state, consumer) ? undefined : consumer?.userId
  return {
    userId,
    grants: grantsOf(state, lookup.scope, userId),
    requests: requestsOf(state, lookup.scope, userId)
  }
}

export const writeRead = (state: State, { read, used }: IdentityReadPlan): void => {
  state.identityReads.set(read.id, read)
  if (used !== undefined) state.grants.set(used.grant.id, used.grant)
}

export const attemptRead = (
  state: State,
  lookup: PersonLookup,
  decide: (snapshot: IdentityReadSnapshot) => IdentityReadDecision
): CommitAttempt<IdentityReadDecision> => {
  const decision = decide(readSnapshotOf(state, lookup))
  if (decision._tag !== "Execute") return { decision, changes: undefined }
  const { read, used } = decision.plan
  const check = () => {
    requireThat(!state.identityReads.has(read.id), "a read's id is new", read.id)
    const isActive = used === undefined || state.grants.get(used.grant.id)?.status === "ACTIVE"
    requireThat(isActive, "the grant is active", read.id)
  }
  return {
    decision,
    changes: {
      receipt: used?.receipt,
      events: used === undefined ? [] : [{ event: used.event, cause: used.grant.id }],
      check,
      write: () => writeRead(state, decision.plan)
    }
  }
}
