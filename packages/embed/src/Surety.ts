import type { HostTransactionConnection } from "@surety/postgres/HostConnection"
import type { Calls, TransactionalCalls } from "./Calls.js"
import type { Health } from "./Health.js"
import type { NodeHandler } from "./handler/nodeHandler.js"
import type { Workers } from "./Workers.js"

/** Surety inside a host's server: the calls, the HTTP API as a request handler, and the workers. */
export interface Surety extends Calls {
  /**
   * Handles a request to one of Surety's routes, such as those of the HTTP API and the hosted pages. For any server
   * based on the web platform's `Request` and `Response`. Every path except `/healthz` and `/readyz` starts with
   * `basePath`. An unknown path gets 404.
   */
  readonly handler: (request: Request) => Promise<Response>
  /**
   * Like `handler`, but faster, for Node's own server and frameworks based on it. Mount it before any body parser,
   * since it reads raw bodies. If called with `next`, it passes on requests outside `basePath`.
   *
   * @example
   * app.use(surety.nodeHandler) // Express, with `basePath: "/pay"`
   */
  readonly nodeHandler: NodeHandler
  /**
   * Background work, such as queued calls, webhooks, recovery from crashes, expiry and deletion of old records. At
   * least one process must start the workers, or call `runOnce` regularly.
   */
  readonly workers: Workers
  /**
   * Resolves if the database has this release's tables and accepts writes. Otherwise rejects with `StoreNotOpened`.
   * For a host's readiness probe.
   */
  readonly ready: () => Promise<void>
  /** Returns the state of Surety, for a host's health page. Never rejects while Surety is open. */
  readonly health: () => Promise<Health>
  /**
   * Returns this process's metrics in the Prometheus text format (`text/plain; version=0.0.4`). A host serves them
   * alone or after its own metrics. All instances in a process share the counts.
   *
   * @example
   * app.get("/metrics", async (_, response) => {
   *   response.type("text/plain; version=0.0.4").send(await surety.metrics())
   * })
   */
  readonly metrics: () => Promise<string>
  /**
   * Stops the workers and releases connections. Call it after closing the host's server: later requests get 503, and
   * later calls reject. The host's own pool stays open.
   */
  readonly close: () => Promise<void>
  /** Same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Surety over a PostgreSQL store, which can take part in the host's transactions. */
export interface TransactionalSurety extends Surety {
  /**
   * Returns the calls that run inside a transaction that the host began on this `pg` connection. The host's rows and
   * Surety's records then commit together or not at all. The host commits or rolls back. `connection` is a `Client` or
   * `PoolClient` of `pg`. Calls reject for a pool, another library's transaction, or a connection without an open
   * transaction.
   *
   * @example
   * await client.query("begin")
   * await client.query("update orders set status = 'refunded' where id = $1", [order.id])
   * const refund = await surety.inTransaction(client).refunds.create({
   *   ...scope,
   *   idempotencyKey: `return-${order.id}`,
   *   transactionId: order.id
   * })
   * // A wallet without `creditInTransaction` is called after the commit. Until then the outcome is unknown.
   * const stands = refund.ok || refund.error._tag === "RefundOutcomeUnknown"
   * await client.query(stands ? "commit" : "rollback")
   */
  readonly inTransaction: (connection: HostTransactionConnection) => TransactionalCalls
}

type AnyCall = (...input: never) => Promise<unknown>
type ValueOf<Call extends AnyCall> =
  Extract<Awaited<ReturnType<Call>>, { readonly ok: true }> extends { readonly value: infer Value } ? Value : never
type ErrorOf<Call> = Call extends AnyCall
  ? Extract<Awaited<ReturnType<Call>>, { readonly ok: false }> extends { readonly error: infer Failure }
    ? Failure
    : never
  : never
type ErrorOfRoom<Room extends keyof Calls> = ErrorOf<Calls[Room][keyof Calls[Room]]>
type ItemOf<Call extends AnyCall> = ValueOf<Call> extends { readonly data: ReadonlyArray<infer Item> } ? Item : never
type Given<Call extends AnyCall> = Parameters<Call>[0]

/**
 * Types of inputs, values and errors of calls, such as `Surety.RefundInput`, `Surety.Refund` and `Surety.RefundError`.
 * An error type is the union of the errors of all calls in its group. `error._tag` distinguishes them.
 */
export declare namespace Surety {
  type Merchant = ValueOf<Calls["merchants"]["get"]>
  type MerchantInput = Given<Calls["merchants"]["create"]>
  type MerchantStatusChange = ItemOf<Calls["merchants"]["history"]>
  type MerchantError = ErrorOfRoom<"merchants">

  type ApiKey = ItemOf<Calls["apiKeys"]["list"]>
  /** A new API key with its secret. */
  type NewApiKey = ValueOf<Calls["apiKeys"]["create"]>
  type ApiKeyInput = Given<Calls["apiKeys"]["create"]>
  type ApiKeyError = ErrorOfRoom<"apiKeys">

  type Webhook = ValueOf<Calls["webhooks"]["get"]>
  /** A new webhook endpoint with its signing secret. */
  type NewWebhook = ValueOf<Calls["webhooks"]["register"]>
  type WebhookInput = Given<Calls["webhooks"]["register"]>
  type WebhookError = ErrorOfRoom<"webhooks">

  type Consumer = ValueOf<Calls["consumers"]["get"]>
  type LinkedConsumer = ItemOf<Calls["consumers"]["listLinked"]>
  type ConsumerInput = Given<Calls["consumers"]["create"]>
  type ConsumerError = ErrorOfRoom<"consumers">

  type Payment = ValueOf<Calls["payments"]["get"]>
  type PaymentInput = Given<Calls["payments"]["record"]>
  type PaymentError = ErrorOfRoom<"payments">

  type Refund = ValueOf<Calls["refunds"]["get"]>
  type RefundInput = Given<Calls["refunds"]["create"]>
  type RefundError = ErrorOfRoom<"refunds">

  type DataRequest = ValueOf<Calls["dataRequests"]["get"]>
  /** A data request as returned by `create`. Has `consentUrl` in TEST if a person was asked. */
  type NewDataRequest = ValueOf<Calls["dataRequests"]["create"]>
  type PendingDataRequest = ItemOf<Calls["dataRequests"]["pending"]>
  type AskingBlock = ItemOf<Calls["dataRequests"]["askingBlocks"]>
  type DataRequestInput = Given<Calls["dataRequests"]["create"]>
  type DataRequestError = ErrorOfRoom<"dataRequests">

  type Grant = ValueOf<Calls["grants"]["get"]>
  type GrantInput = Given<Calls["grants"]["create"]>
  type ConsentLink = ValueOf<Calls["grants"]["issueLink"]>
  type GrantError = ErrorOfRoom<"grants">

  type Identity = ValueOf<Calls["identity"]["read"]>
  type IdentityRead = ItemOf<Calls["identity"]["reads"]>
  type IdentityInput = Given<Calls["identity"]["read"]>
  type IdentityError = ErrorOfRoom<"identity">

  type Receipt = ItemOf<Calls["receipts"]["list"]>
  /** A receipt with its signature, a JWS. */
  type SignedReceipt = ItemOf<Calls["receipts"]["ofGrant"]>
  type ReceiptError = ErrorOfRoom<"receipts">

  type Verification = ValueOf<Calls["verifications"]["get"]>
  type VerificationInput = Given<Calls["verifications"]["create"]>
  type VerificationError = ErrorOfRoom<"verifications">

  type Event = ValueOf<Calls["events"]["get"]>
  /** A delivery with its attempts. */
  type Delivery = ItemOf<Calls["events"]["deliveries"]>
  type ListedDelivery = ItemOf<Calls["events"]["allDeliveries"]>
  type EventType = ItemOf<Calls["events"]["types"]>
  type EventError = ErrorOfRoom<"events">

  /** A person, as returned by `people.restrict` and `people.liftRestriction`. */
  type Person = ValueOf<Calls["people"]["restrict"]>
  type PersonExport = ValueOf<Calls["people"]["export"]>
  type Erasure = ValueOf<Calls["people"]["erase"]>
  type RightsRequest = ItemOf<Calls["people"]["rightsRequests"]>
  type PeopleError = ErrorOfRoom<"people">

  type Balance = ItemOf<Calls["ledger"]["balances"]>
  type Posting = ItemOf<Calls["ledger"]["postings"]>
  type Transfer = ValueOf<Calls["ledger"]["transfer"]>
  type TransferInput = Given<Calls["ledger"]["transfer"]>
  type TrialBalance = ValueOf<Calls["ledger"]["trialBalance"]>
  type LedgerError = ErrorOfRoom<"ledger">

  type RequestEntry = ItemOf<Calls["requests"]["list"]>
  type RequestError = ErrorOfRoom<"requests">

  /** A call queued by the host. */
  type HostRequest = ValueOf<Calls["hostRequests"]["get"]>
  type HostRequestInput = Given<Calls["hostRequests"]["enqueue"]>
  type HostRequestError = ErrorOfRoom<"hostRequests">

  type Action = ItemOf<Calls["actions"]["list"]>
  type ActionError = ErrorOfRoom<"actions">

  type Proposal = ValueOf<Calls["approvals"]["get"]>
  type ApprovalError = ErrorOfRoom<"approvals">

  type TestClock = ValueOf<Calls["sandbox"]["clock"]>
  type TestPaymentInput = Given<Calls["sandbox"]["recordPayment"]>
  type SandboxError = ErrorOfRoom<"sandbox">

  /** An error of any call. */
  type Error = { readonly [Room in keyof Calls]: ErrorOfRoom<Room> }[keyof Calls]
}
