import { ConsentActor } from "@surety/core/consent/ConsentActor"
import { Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

/** An actor as two columns; both are null without an actor. */
export const kind = ConsentActor.fields.kind
export const name = Column.nullable(Schema.String)

export const actorOf = (kind: ConsentActor["kind"], name: string | undefined): ConsentActor =>
  name === undefined ? { kind } : { kind, name }
