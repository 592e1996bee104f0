import type { Operator } from "@surety/core/operator/Operator"
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"

/** The operator whose token the request has. */
export class CurrentOperator extends Context.Service<CurrentOperator, Operator>()(
  "@surety/http/access/OperatorAccess/CurrentOperator"
) {}

/** Who provisions: an operator; undefined where the routes are open. */
export class CurrentProvisioner extends Context.Service<
  CurrentProvisioner,
  { readonly operator: Operator | undefined }
>()("@surety/http/access/OperatorAccess/CurrentProvisioner") {}

/** The operator's routes, which require an operator's token of a role that may use them (contract 15). */
export class OperatorAccess extends HttpApiMiddleware.Service<OperatorAccess, { provides: CurrentOperator }>()(
  "@surety/http/access/OperatorAccess"
) {}

/** Provisioning routes: open, with an operator's token, or off, as the deployment decides (contract 4). */
export class ProvisioningAccess extends HttpApiMiddleware.Service<
  ProvisioningAccess,
  { provides: CurrentProvisioner }
>()("@surety/http/access/ProvisioningAccess") {}
