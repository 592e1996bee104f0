import { HttpApiMiddleware } from "effect/http-api"

/** The operator's routes, which require the deployment's token (contract 15). */
export class OperatorAccess extends HttpApiMiddleware.Service<OperatorAccess>()("@surety/http/access/OperatorAccess") {}

/** Provisioning routes: open, with the operator's token, or off, as the deployment decides (contract 4). */
export class ProvisioningAccess extends HttpApiMiddleware.Service<ProvisioningAccess>()(
  "@surety/http/access/ProvisioningAccess"
) {}
