/**
 * Settings for functions that must find rows by index. A connection plans a function's statements once and caches the
 * plans, often while the tables are still empty. A table scan chosen then would stay in use as the table grows. These
 * settings rule out such plans, including those of foreign key checks.
 */
export const indexOnlyPlans = `set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off`

/**
 * Builds SQL that selects the rows of a function's JSON argument, each with its position as `ordinality`. The planner
 * expects 100 rows from `json_to_recordset`, so it would scan a smaller table instead of using an index. A limit that
 * it cannot evaluate lowers the estimate to ten.
 */
export const argumentRows = (argument: string, columns: string): string => `(
    select * from rows from (json_to_recordset(${argument}) as (
      ${columns}
    )) with ordinality limit json_array_length(${argument})
  )`
