import * as verifier from "@surety/verifier"
import * as testing from "@surety/verifier/testing"
import { reportOn } from "./RuntimeReport.js"

// Simulates Node before 20.16, which lacks this function, so that WebCrypto is used.
if (process.argv.includes("--without-builtins")) Object.assign(process, { getBuiltinModule: undefined })

void reportOn({ ...verifier, ...testing }).then((report) => process.stdout.write(JSON.stringify(report)))
