export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Returns an SQL expression for a string, in a form that cannot terminate a dollar-quoted block. */
export const inBlock = (text: string): string =>
  /^\w+$/.test(text) ? literal(text) : `convert_from(decode('${Buffer.from(text).toString("hex")}', 'hex'), 'UTF8')`

/**
 * Tables in which `surety verify` finds new rows by `committed_by`, the id of their transaction. A role that could set
 * this column could hide rows.
 */
export const stampedTables: ReadonlyArray<string> = ["event", "operator_transfer", "refund", "transfer"]

/** Builds SQL that grants `role` the `changes` on every column of the stamped tables except `committed_by`. */
export const stampedGrants = (
  schema: string,
  role: string,
  changes: Readonly<Record<string, ReadonlyArray<string>>>
): string => {
  const rights = stampedTables.map((table) => {
    const verbs = (changes[table] ?? []).map((verb) => `${verb} (%1$s)`).join(", ")
    return `('${table}', ${literal(`grant ${verbs} on %2$s.%3$I to %4$s`)})`
  })
  return `do $stamped$
declare
  given record;
begin
  for given in
    select r.table_name, r.command, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
    from (values ${rights.join(", ")}) r (table_name, command)
    join pg_class c on c.relnamespace = to_regnamespace(${literal(quoted(schema))}) and c.relname = r.table_name
    join pg_attribute a
      on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attname <> 'committed_by'
    group by r.table_name, r.command
  loop
    execute format(given.command, given.columns, ${inBlock(quoted(schema))}, given.table_name, ${inBlock(quoted(role))});
  end loop;
end
$stamped$`
}
