import type { Fragment } from "effect/sql/Statement"
import {
  receiptsOf,
  unapprovedGrants,
  ungrantedRequests,
  unreceiptedGrants,
  unreceiptedRequests,
  unreceiptedVerifications
} from "../consent/consentChecks.js"
import type { Database } from "../sql/Database.js"
import type { AuditCheck } from "./AuditCheck.js"
import { untoldOf } from "./moneyChecks.js"
import type { ConsentKind } from "./spanChecks.js"

/** A kind of consent or KYC record: its table, the columns that hold event ids, and its checks. */
export interface ConsentChecks {
  readonly kind: ConsentKind
  readonly table: "consent_grant" | "data_request" | "verification"
  readonly events: ReadonlyArray<string>
  /** Builds the checks that run as nested loops, with an index lookup for each joined row. */
  readonly nested: (database: Database, records: Fragment) => ReadonlyArray<AuditCheck>
  /** Builds the check that joins records with the receipts of the same people, by a hash join. */
  readonly hashed: (database: Database, records: Fragment) => AuditCheck
}

export const consentKinds: ReadonlyArray<ConsentChecks> = [
  {
    kind: "grant",
    table: "consent_grant",
    events: ["event_id", "end_event_id"],
    nested: (database, grants) => [...untoldOf(database, "consent_grant", grants), unapprovedGrants(database, grants)],
    hashed: (database, grants) => unreceiptedGrants(database, grants, receiptsOf(database, grants))
  },
  {
    kind: "request",
    table: "data_request",
    events: ["event_id"],
    nested: (database, requests) => [
      ...untoldOf(database, "data_request", requests),
      ungrantedRequests(database, requests)
    ],
    hashed: (database, requests) => unreceiptedRequests(database, requests, receiptsOf(database, requests))
  },
  {
    kind: "verification",
    table: "verification",
    events: ["event_id"],
    nested: (database, verifications) => untoldOf(database, "verification", verifications),
    hashed: (database, verifications) =>
      unreceiptedVerifications(database, verifications, receiptsOf(database, verifications))
  }
]
