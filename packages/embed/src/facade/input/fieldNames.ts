import type { IdentityField } from "@surety/core/consumer/IdentityField"
import { IdentityFieldNames } from "@surety/core/input/IdentityFieldNames"
import type { Schema } from "effect"

/** Name of an identity field: one of the six that every host has, or a field of the host's directory. */
export type IdentityFieldName =
  | "service_id"
  | "display_name"
  | "country"
  | "email"
  | "phone_verified"
  | "kyc_status"
  // Fields of the host's own directory. With plain `string`, editors would not suggest the six names above.
  | (string & Record<never, never>)

/** 1 to 32 distinct names of identity fields. Fields of the host's directory are also accepted. */
export const HostFieldNames: Schema.Codec<
  ReadonlyArray<IdentityField>,
  ReadonlyArray<IdentityFieldName>
> = IdentityFieldNames
