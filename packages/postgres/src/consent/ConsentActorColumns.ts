import { ConsentActor } from "@surety/core/consent/ConsentActor"
import { Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

/** A record that may have no actor makes this nullable. */
export const kind = ConsentActor.fields.kind
export const name = Column.nullable(Schema.String)

export const actorOf = (kind: ConsentActor["kind"], name: string | undefined): ConsentActor =>
  name === undefined ? { kind } : { kind, name }
