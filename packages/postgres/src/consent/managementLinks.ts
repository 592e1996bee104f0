import type { ManagementLink } from "@surety/core/consent/link/ManagementLink"
import { toUuid } from "@surety/core/Ids"
import { DateTime } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"

/** Stores a management link once `after` has a row. A no-op if one with the same token exists. */
export const insertLinkWhen = ({ name, sql }: Database, link: ManagementLink, after: Fragment): Fragment => sql`
      insert into ${name("management_link")} (
        token_hash, environment, user_id, service_id, merchant_id, data_request_id, created_at, expires_at
      )
      select ${link.tokenHash}::text, ${link.environment}::text, ${link.userId}::text, ${link.serviceId}::text,
        ${link.merchantId === undefined ? null : toUuid(link.merchantId)}::uuid,
        ${link.dataRequestId === undefined ? null : toUuid(link.dataRequestId)}::uuid,
        ${DateTime.toDate(link.createdAt)}::timestamptz, ${DateTime.toDate(link.expiresAt)}::timestamptz
      from ${after}
      on conflict (token_hash) do nothing`
