import { HttpApiMiddleware } from "effect/http-api"

/** Routes of the operator, who bears the deployment's token (contract 15). */
export class OperatorAccess extends HttpApiMiddleware.Service<OperatorAccess>()("@surety/http/access/OperatorAccess") {}

/** Routes of provisioning: open, or the operator's, or not there, as the deployment decides (contract 4). */
export class ProvisioningAccess extends HttpApiMiddleware.Service<ProvisioningAccess>()(
  "@surety/http/access/ProvisioningAccess"
) {}
