import * as verifier from "@surety/verifier"
import * as testing from "@surety/verifier/testing"
import { reportOn } from "./RuntimeReport.js"

const tell = (outcome: object) => fetch("/report", { method: "POST", body: JSON.stringify(outcome) })

void reportOn({ ...verifier, ...testing }).then(tell, (error: unknown) => tell({ crashed: String(error) }))
