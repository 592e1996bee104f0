export type { HostConnection, HostTransactionConnection } from "@surety/postgres/HostConnection"
export type { HostPool } from "@surety/postgres/HostPool"
