/**
 * Settings of functions that find rows by index. A connection plans a function's statements once and keeps the plans,
 * often made while the tables are still empty. A plan that reads a small table as a whole would stay while the table
 * grows; with these settings it cannot be made. They hold for the foreign keys' own lookups too.
 */
export const indexOnlyPlans = `set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off`

/**
 * The rows of a function's JSON argument, each with its position as `ordinality`. The planner expects a hundred rows of
 * `json_to_recordset`, more than a small table has, and would scan such a table to look for each of its rows in the
 * argument. With a limit that it cannot know, it expects ten.
 */
export const argumentRows = (argument: string, columns: string): string => `(
    select * from rows from (json_to_recordset(${argument}) as (
      ${columns}
    )) with ordinality limit json_array_length(${argument})
  )`
