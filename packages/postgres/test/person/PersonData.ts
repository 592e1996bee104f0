/**
 * States which of a table's columns hold personal data of consumers, and what an erasure does with them. A list of
 * columns is a string of names separated by single spaces.
 */
export interface TableData {
  /** Description of the contents, for the data map. */
  readonly holds: string
  /** How long the data is kept, for the data map. */
  readonly until: string
  /** SQL condition that selects a consumer's rows, with the user id as `$1`. Absent if the table has no such rows. */
  readonly rows?: string
  /** Set if an erasure deletes the rows. */
  readonly isDeleted?: true
  /** Columns whose values an erasure removes. */
  readonly removed?: string
  /** Column with the user id, which an erasure replaces with a pseudonym. */
  readonly pseudonym?: string
  /** Columns with the consumer identifier. After an erasure they remain but no longer identify anyone. */
  readonly identifier?: string
  /** Columns that an erasure does not clear, each with the reason or with its content after the erasure. */
  readonly stays?: Readonly<Record<string, string>>
  /** All other columns. Their values identify no consumer, but may be personal data of merchants or operators. */
  readonly none: string
}

const books = "For as long as the books are kept."
const chain = "For as long as the chain of receipts is kept."
const service = "As long as the service runs."

const ofPerson = "t.user_id = $1"
const ofPayment =
  "exists (select 1 from surety.payment p where p.id = t.payment_id and p.merchant_id = t.merchant_id and p.user_id = $1)"
const eventsOf = `(
  select event_id from surety.payment where user_id = $1
  union all select event_id from surety.consent_grant where user_id = $1
  union all select end_event_id from surety.consent_grant where user_id = $1
  union all select event_id from surety.data_request where user_id = $1
  union all select event_id from surety.verification where user_id = $1
  union all
  select r.event_id from surety.refund r
  join surety.payment p on p.id = r.payment_id and p.merchant_id = r.merchant_id where p.user_id = $1
)`
const merchantsWords =
  "The merchant's words about its own business; the interface tells merchants to send no personal data."

/** The classification of every column of every table. A test fails if a column is missing. */
export const personData: Readonly<Record<string, TableData>> = {
  account: {
    holds: "Balances of wallets and merchants' accounts.",
    until: books,
    rows: ofPerson,
    pseudonym: "user_id",
    none: "id environment kind currency merchant_id balance_minor opens_account books"
  },
  api_key: {
    holds: "Hashes of merchants' keys.",
    until: service,
    none: "id merchant_id environment hash last4 created_at revoked_at name scopes expires_at last_used_at"
  },
  archive_part: {
    holds: "Months of events in archives.",
    until: service,
    none: "id month status begun_by begun_at manifest_hash ended_at"
  },
  asking: {
    holds: "People whom a merchant may not ask.",
    until: "Until the person is erased.",
    rows: ofPerson,
    isDeleted: true,
    removed: "user_id",
    none: "merchant_id environment version block_reason block_request_id blocked_at lifted_at"
  },
  audit_run: {
    holds: "Results of each check of the books, as numbers.",
    until: books,
    none: "id at duration_millis by chains checks"
  },
  code_challenge: {
    holds: "Hashes of one-time codes, and the masked destination.",
    until: "RETENTION_CODES after they expired: 1 day.",
    rows: "t.link_hash in (select token_hash from surety.data_request where user_id = $1)",
    isDeleted: true,
    removed: "link_hash code_hash destination",
    none: "tries_left expires_at sends window_ends_at"
  },
  consent_grant: {
    holds: "Consents that people have given.",
    until: chain,
    rows: ofPerson,
    pseudonym: "user_id",
    identifier: "service_id",
    removed: "revocation_reason",
    stays: {
      purpose: "What the consent was for, as the receipt says.",
      granted_by_name: "Who acted for the platform; no personal value of the person.",
      revoked_by_name: "Who acted for the platform; no personal value of the person."
    },
    none: "id merchant_id environment fields origin data_request_id granted_by_kind status granted_at expires_at revoked_at revoked_by_kind event_id end_event_id one_time used_at"
  },
  consent_receipt: {
    holds: "Proofs of consents: names of fields, never values.",
    until: chain,
    rows: ofPerson,
    pseudonym: "user_id",
    stays: { body: "The hashed text. It names the person only by the consumer identifier." },
    none: "id merchant_id environment sequence previous_hash hash"
  },
  consumer: {
    holds: "People's details.",
    until: "Until the person is erased.",
    rows: "t.id = $1",
    pseudonym: "id",
    removed: "service_id external_id display_name country email phone_verified kyc_status kyc_tier restricted_at",
    identifier: "erased_service_id",
    none: "environment created_at ask_limits kyc_evidence_count erased_at"
  },
  consumer_link: {
    holds: "Which merchants may name a person.",
    until: "Until the link or the person is removed.",
    rows: ofPerson,
    isDeleted: true,
    removed: "user_id",
    none: "merchant_id environment created_at"
  },
  data_request: {
    holds: "Merchants' requests to people.",
    until: chain,
    rows: ofPerson,
    pseudonym: "user_id",
    identifier: "service_id",
    removed: "token_hash link_key_id link_sealed return_url return_state",
    stays: {
      purpose: "What the request was for, as the receipt says.",
      answer: "The stored response to the merchant, with only the consumer identifier; 30 days.",
      decided_by_name: "Who acted for the platform; no personal value of the person."
    },
    none: "id merchant_id environment requested_fields status approved_fields denial_reason decided_by_kind created_at expires_at decided_at event_id notify_at duration_days"
  },
  data_request_key: {
    holds: "Merchants' idempotency keys.",
    until: "30 days.",
    none: "merchant_id environment idempotency_key data_request_id fingerprint kept_since"
  },
  delivery: {
    holds: "Which events went to which endpoint.",
    until: "RETENTION_DELIVERIES after they were delivered: 90 days.",
    none: "id event_id endpoint_id merchant_id environment status attempts next_attempt_at leased_until fence created_at"
  },
  delivery_attempt: {
    holds: "Each attempt, and the receiver's response.",
    until: "The response: RETENTION_ANSWERS, 30 days. The attempt: as long as its delivery.",
    rows: `t.delivery_id in (select d.id from surety.delivery d where d.event_id in ${eventsOf})`,
    removed: "response_body",
    none: "id delivery_id number started_at duration_millis response_status error"
  },
  endpoint_claim: {
    holds: "Recent send rates of endpoints.",
    until: "Seconds.",
    none: "endpoint_id at count"
  },
  endpoint_wake: {
    holds: "When each endpoint is next due.",
    until: "Until nothing waits for the endpoint.",
    none: "endpoint_id failing at held filled"
  },
  event: {
    holds: "Events sent to merchants.",
    until: chain,
    rows: `t.id in ${eventsOf}`,
    stays: { body: "The signed event as sent, with the pseudonym in place of a user id." },
    none: "merchant_id environment id topic occurred_at trace test_for committed_by epoch"
  },
  erasure: {
    holds: "Pseudonyms of erased people, and when they were erased by the database's clock.",
    until: service,
    none: "pseudonym environment at"
  },
  event_order: {
    holds: "The order of events.",
    until: service,
    none: "one epoch timeline written_by written_in"
  },
  hour_count: {
    holds: "How often things happened in each hour.",
    until: service,
    none: "environment hour fact currency count amount_minor"
  },
  hour_counted: {
    holds: "When each hour was counted.",
    until: service,
    none: "hour counted_at"
  },
  identity_read: {
    holds: "Who read which fields: names, never values.",
    until: "RETENTION_READS: 730 days.",
    rows: ofPerson,
    pseudonym: "user_id",
    identifier: "service_id",
    none: "id merchant_id environment fields api_key_id read_at"
  },
  kyc_evidence: {
    holds: "Results of verifications, never numbers.",
    until: chain,
    rows: ofPerson,
    pseudonym: "user_id",
    none: "verification_id merchant_id environment kind provider first_name_result last_name_result date_of_birth_result selfie_result consent_method tier proved_at"
  },
  management_link: {
    holds: "Hashes of links to people's pages.",
    until: "RETENTION_CODES after they expired: 1 day.",
    rows: ofPerson,
    isDeleted: true,
    removed: "token_hash user_id service_id",
    none: "environment merchant_id created_at expires_at data_request_id"
  },
  merchant: {
    holds: "Merchants and their contacts.",
    until: service,
    none: "id business_code external_id name legal_name contact_name contact_email support_email website_url country business_type registration_number refunds_enabled settlement_overdraft status created_at updated_at purpose return_urls test_refunds_enabled test_clock_seconds"
  },
  merchant_status_change: {
    holds: "Decisions on merchants.",
    until: service,
    none: "id merchant_id from_status to_status actor reason at"
  },
  operator_action: {
    holds: "Operators' actions and their reasons.",
    until: "As long as the operator must account for it.",
    rows: "t.service_id in (select coalesce(service_id, erased_service_id) from surety.consumer where id = $1)",
    identifier: "service_id target",
    stays: {
      reason: "The operator's own words. Operators are asked to enter no personal data.",
      changes: "For personal fields it has only a keyed hash of the old value."
    },
    none: "id actor kind environment merchant_id at"
  },
  operator_session: {
    holds: "Which operators are signed in to the console, from which network and with which browser.",
    until: "CONSOLE_SESSION_IDLE after the last use, CONSOLE_SESSION_LIFETIME after the sign-in: 30 minutes, 12 hours.",
    none: "id token_hash operator roles signed_in_by credential address user_agent created_at last_used_at ends_at"
  },
  operator_transfer: {
    holds: "Money that operators moved, and why.",
    until: books,
    rows: ofPerson,
    pseudonym: "user_id",
    identifier: "service_id",
    stays: { reason: "The operator's own words. Operators are asked to enter no personal data." },
    none: "id idempotency_key fingerprint kind direction environment currency amount_minor merchant_id at committed_by"
  },
  platform_feed: { holds: "When the platform feed began.", until: service, none: "one begun_at" },
  platform_outbox: {
    holds: "Events not yet sent to the platform.",
    until: "Until the platform has confirmed them.",
    rows: `position('"userId":' || to_json($1::text)::text in t.body) > 0`,
    stays: { body: "Unsent events, with the pseudonym in place of a user id." },
    none: "stream event_id environment topic occurred_at committed_by epoch"
  },
  platform_stream: {
    holds: "How far the platform has confirmed events.",
    until: service,
    none: "stream failures fence leased_until retry_at"
  },
  owner_bound: { holds: "The most that servers may erase.", until: service, none: "name value" },
  payment: {
    holds: "People's payments.",
    until: books,
    rows: ofPerson,
    pseudonym: "user_id",
    identifier: "service_id",
    stays: { reference: merchantsWords },
    none: "merchant_id environment id method status currency amount_minor refunded_minor created_at settled_at event_id test_outcome"
  },
  rate_limit: {
    holds: "How much of its rate a merchant or an address has used.",
    until: "Seconds.",
    none: "name key full_at"
  },
  receipt_chain_end: {
    holds: "The ends of the chains of receipts.",
    until: chain,
    none: "merchant_id environment sequence previous_hash hash"
  },
  refund: {
    holds: "Refunds to people.",
    until: books,
    rows: ofPayment,
    stays: {
      answer: "The response that a replay repeats byte for byte. It has only the consumer identifier.",
      reason: merchantsWords,
      merchant_reference: merchantsWords,
      items: merchantsWords
    },
    none: "id merchant_id environment payment_id idempotency_key fingerprint amount_minor status event_id created_at completed_at leased_until fence played committed_by"
  },
  proposal: {
    holds: "Which transfers and erasures waited for a second operator, and who decided.",
    until: "As long as the operator must account for it.",
    rows: "t.service_id in (select coalesce(service_id, erased_service_id) from surety.consumer where id = $1)",
    identifier: "service_id",
    stays: {
      reason: "The operator's own words. Operators are asked to enter no personal data.",
      refusal: "The second operator's words, or a code."
    },
    none: `id environment kind transfer_kind direction currency amount_minor merchant_id idempotency_key fingerprint
      proposed_by proposed_at ends_at status begun_at decided_by decided_at transfer_id`.replace(/\s+/g, " ")
  },
  rights_request: {
    holds: "Which rights people have asked for.",
    until: "RETENTION_RIGHTS_REQUESTS after they were closed: for good by default.",
    rows: ofPerson,
    pseudonym: "user_id",
    identifier: "service_id",
    removed: "note",
    none: "id environment kind status asked_at due_at closed_at closed_by"
  },
  request_entry: {
    holds: "Merchants' request logs: what was called and how it was answered, without any value.",
    until: "7 days.",
    none: "id merchant_id environment api_key_id key_last4 method route status code request_id at"
  },
  requests: {
    holds: "Calls that the host has queued, with their input while they are pending.",
    until: "30 days after they ended; the input only until they end.",
    rows: "t.person = $1",
    removed: "person payload",
    stays: {
      key: "The host's own name for the call; hosts are asked to use no personal data.",
      queue: "The host's own name for the queue; hosts are asked to use no personal data.",
      fingerprint: "Replaced by random bytes.",
      result: "The id, status and amount of a payment or refund.",
      error: "Why a call failed, in Surety's words."
    },
    none: "id kind environment status attempts created_at due_at ended_at leased_until fence"
  },
  secret_key: {
    holds: "Which secret keys were used with the database.",
    until: service,
    none: "key_id canary lost first_used_at"
  },
  surety_functions: {
    holds: "Which functions were created.",
    until: service,
    none: "name hash applied_at replaced_at"
  },
  surety_migrations: {
    holds: "Which steps of the schema were run.",
    until: service,
    none: "id name applied_at"
  },
  transfer: {
    holds: "Every movement of money, between accounts.",
    until: books,
    none: "id kind environment currency debit_account_id credit_account_id amount_minor merchant_id payment_id refund_id operator_transfer_id at committed_by"
  },
  verified_account: {
    holds: "The sums of accounts' postings, as last verified.",
    until: books,
    none: "account_id debits_minor credits_minor is_checked"
  },
  verified_chain: {
    holds: "How far each chain of receipts is verified.",
    until: books,
    none: "merchant_id environment sequence hash"
  },
  verified_open: {
    holds: "Ids of records that `surety verify` checks again.",
    until: "Until they are in order.",
    none: "kind subject"
  },
  verified_point: {
    holds: "How far the books are verified.",
    until: books,
    none: "one epoch through transfers"
  },
  verified_total: {
    holds: "The sums of all postings, as last verified.",
    until: books,
    none: "environment currency debits_minor credits_minor"
  },
  verification: {
    holds: "Checks of identities: a keyed hash and the last characters of the number, and results.",
    until: chain,
    rows: ofPerson,
    pseudonym: "user_id",
    identifier: "service_id",
    removed: "id_hash id_last4 provider_reference next_action idempotency_key fingerprint answer",
    none: "id merchant_id environment kind tier status first_name_result last_name_result date_of_birth_result selfie_result failure_reason provider created_at completed_at fence looks codes due_at leased_until consent_method event_id"
  },
  webhook_endpoint: {
    holds: "Merchants' endpoints for events.",
    until: service,
    none: "merchant_id environment id url topics status disabled_reason secrets failing_since created_at updated_at removed_at max_per_second disabled_at failing_days missed_since"
  }
}

const words = (columns: string | undefined): ReadonlyArray<string> => (columns === undefined ? [] : columns.split(" "))

export const removedColumns = ({ removed }: TableData): ReadonlyArray<string> => words(removed)

export const classifiedColumns = (table: TableData): ReadonlyArray<string> =>
  [
    ...words(table.none),
    ...words(table.pseudonym),
    ...words(table.identifier),
    ...words(table.removed),
    ...Object.keys(table.stays ?? {})
  ].sort()

const afterErasure = (table: TableData): string => {
  if (table.rows === undefined) return "nothing of people"
  if (table.isDeleted) return "rows deleted"
  const listed = (columns: ReadonlyArray<string>): string => columns.map((column) => `\`${column}\``).join(", ")
  const parts = [
    ...(table.removed === undefined ? [] : [`removed: ${listed(words(table.removed))}`]),
    ...(table.pseudonym === undefined ? [] : [`pseudonym: ${listed(words(table.pseudonym))}`]),
    ...(table.identifier === undefined ? [] : [`names no one: ${listed(words(table.identifier))}`]),
    ...(table.stays === undefined ? [] : [`stays: ${listed(Object.keys(table.stays))}`])
  ]
  return parts.join("; ")
}

export const dataMapPage = (): string => {
  const tables = Object.entries(personData)
  const rows = tables.map(
    ([name, table]) => `| \`${name}\` | ${table.holds} | ${table.until} | ${afterErasure(table)} |`
  )
  const stays = tables.flatMap(([name, { stays = {} }]) =>
    Object.entries(stays).map(([column, why]) => `| \`${name}.${column}\` | ${why} |`)
  )
  return [
    "# Data map",
    "",
    "The personal data in the database, for a register of processing (NDPA 2023, GAID 2025). Generated from the",
    "classification of every column, which tests enforce; see [data protection](data-protection.md).",
    "",
    "| table | holds | until | after an erasure |",
    "|---|---|---|---|",
    ...rows,
    "",
    "## What stays of an erased person, and why",
    "",
    "Besides the pseudonym and the consumer identifier, which name no one:",
    "",
    "| column | why |",
    "|---|---|",
    ...stays,
    ""
  ].join("\n")
}
