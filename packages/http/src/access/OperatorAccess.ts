import type { Operator } from "@surety/core/operator/Operator"
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"

export class CurrentOperator extends Context.Service<CurrentOperator, Operator>()(
  "@surety/http/access/OperatorAccess/CurrentOperator"
) {}

/** The operator who sends a provisioning request. Undefined if the routes are open. */
export class CurrentProvisioner extends Context.Service<
  CurrentProvisioner,
  { readonly operator: Operator | undefined }
>()("@surety/http/access/OperatorAccess/CurrentProvisioner") {}

/** Guards the operator's routes, which require the token of an operator whose role may use them (contract 15). */
export class OperatorAccess extends HttpApiMiddleware.Service<OperatorAccess, { provides: CurrentOperator }>()(
  "@surety/http/access/OperatorAccess"
) {}

/**
 * Guards the provisioning routes. The deployment configures whether they are open, require an operator's token, or are
 * off (contract 4).
 */
export class ProvisioningAccess extends HttpApiMiddleware.Service<
  ProvisioningAccess,
  { provides: CurrentProvisioner }
>()("@surety/http/access/ProvisioningAccess") {}
