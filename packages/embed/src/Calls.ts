import type { Run } from "./Call.js"
import { actions } from "./facade/actions.js"
import { apiKeys } from "./facade/apiKeys.js"
import { approvals } from "./facade/approvals.js"
import { consumers } from "./facade/consumers.js"
import { dataRequests } from "./facade/dataRequests.js"
import { events } from "./facade/events.js"
import { grants } from "./facade/grants.js"
import { hostRequests } from "./facade/hostRequests.js"
import { identity } from "./facade/identity.js"
import { ledger } from "./facade/ledger.js"
import { merchants } from "./facade/merchants.js"
import { payments } from "./facade/payments.js"
import { people } from "./facade/people.js"
import { receipts } from "./facade/receipts.js"
import { refunds } from "./facade/refunds.js"
import { requests } from "./facade/requests.js"
import { sandbox } from "./facade/sandbox.js"
import { verifications } from "./facade/verifications.js"
import { webhooks } from "./facade/webhooks.js"

/** Builds all calls of the facade, each run by `run`. */
export const calls = (run: Run) => ({
  merchants: merchants(run),
  apiKeys: apiKeys(run),
  webhooks: webhooks(run),
  consumers: consumers(run),
  payments: payments(run),
  refunds: refunds(run),
  dataRequests: dataRequests(run),
  grants: grants(run),
  identity: identity(run),
  receipts: receipts(run),
  verifications: verifications(run),
  events: events(run),
  people: people(run),
  ledger: ledger(run),
  requests: requests(run),
  hostRequests: hostRequests(run),
  actions: actions(run),
  approvals: approvals(run),
  sandbox: sandbox(run)
})

/** The calls of the facade. Each takes at most one argument, an object, and returns a promise of an `Outcome`. */
export type Calls = ReturnType<typeof calls>

/**
 * The calls available inside a host's transaction. These are excluded:
 *
 * - `dataRequests.create`, `verifications` and `people`: the host's rollback could not undo their messages, paid calls
 *   and erasures elsewhere.
 * - `requests`: reading the request log also stores other merchants' entries.
 * - `hostRequests.wait`: no worker performs a queued call before the commit.
 * - `sandbox`: the test helpers.
 */
export type TransactionalCalls = Omit<
  Calls,
  "dataRequests" | "hostRequests" | "verifications" | "people" | "requests" | "sandbox"
> & {
  readonly dataRequests: Omit<Calls["dataRequests"], "create">
  readonly hostRequests: Omit<Calls["hostRequests"], "wait">
}

/** Builds the calls available inside a host's transaction, each run by `run`. */
export const transactionalCalls = (run: Run): TransactionalCalls => {
  const {
    dataRequests: questions,
    hostRequests: queued,
    people: ___,
    requests: ____,
    sandbox: _____,
    verifications: _,
    ...others
  } = calls(run)
  const { create: __, ...answers } = questions
  const { enqueue, get } = queued
  return { ...others, dataRequests: answers, hostRequests: { enqueue, get } }
}
