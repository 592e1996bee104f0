/**
 * Settings of functions that find rows by index. A connection plans a function's statements once and keeps the plans,
 * often while the tables are still empty. A plan that scans a small table would survive while the table grows. These
 * settings rule out such plans, including those of foreign key checks.
 */
export const indexOnlyPlans = `set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off`

/**
 * Builds SQL that selects the rows of a function's JSON argument, each with its position as `ordinality`. The planner
 * expects `json_to_recordset` to return 100 rows. It would scan a table with fewer rows instead of using an index. With
 * a limit that it cannot evaluate, the planner expects ten.
 */
export const argumentRows = (argument: string, columns: string): string => `(
    select * from rows from (json_to_recordset(${argument}) as (
      ${columns}
    )) with ordinality limit json_array_length(${argument})
  )`
