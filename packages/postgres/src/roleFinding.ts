import * as Finding from "@surety/core/DoctorFinding"
import type { RoleRights } from "./role/roleRights.js"

/** What a doctor says of the role that serves. Advice and no fault: a role with more rights serves as well. */
export const roleFinding = (about: string, { excess, role }: RoleRights): Finding.Finding =>
  excess.length === 0
    ? Finding.ok(about, `${role} may do what serving needs, and no more.`)
    : Finding.advice(
        about,
        `${role} ${excess.join(", ")}. Serve as a role that cannot: docs/embedding/migrations.md, A role that only serves.`
      )
