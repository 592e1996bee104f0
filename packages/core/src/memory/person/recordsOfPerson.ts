import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { Environment } from "../../Environment.js"
import type { UserId } from "../../Ids.js"
import { isVerificationOpen, type Verification } from "../../kyc/verification/Verification.js"
import type { MemoryState, StoredEvent } from "../MemoryState.js"

type State = MemoryState["Service"]

/** A record that may belong to a person. */
export interface Owned {
  readonly environment: Environment
  readonly userId?: UserId
}

/** Returns a predicate for the person's records. */
export const isTheirs =
  ({ environment, userId }: { readonly environment: Environment; readonly userId: UserId }) =>
  (record: Owned): boolean =>
    record.userId === userId && record.environment === environment

/** Returns a predicate for events that report a change of the person's details. Their cause is the service id. */
export const reportsChangeOf =
  ({ environment, serviceId }: { readonly environment: Environment; readonly serviceId: ConsumerId }) =>
  ({ cause, event }: StoredEvent): boolean =>
    cause === serviceId && event.environment === environment

export const pendingRefundsOf = (
  state: State,
  person: { readonly environment: Environment; readonly userId: UserId }
) => [...state.refunds.values()].filter(({ refund }) => refund.status === "PENDING" && isTheirs(person)(refund)).length

export const openVerificationsOf = (
  state: State,
  person: { readonly environment: Environment; readonly userId: UserId }
): ReadonlyArray<Verification> =>
  [...state.verifications.values()].flatMap(({ verification }) =>
    isVerificationOpen(verification.status) && isTheirs(person)(verification) ? [verification] : []
  )
