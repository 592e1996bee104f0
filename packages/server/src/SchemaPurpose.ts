/**
 * What a command does with the database. `make` creates it and the development keys if they are missing. `change`
 * requires an existing one. `read` does too, and stores no key.
 */
export type SchemaPurpose = "make" | "change" | "read"
