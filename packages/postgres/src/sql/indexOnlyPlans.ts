/**
 * Settings of functions that find rows by index. A connection plans a function's statements once and keeps the plans,
 * often made while the tables are still empty. A plan that reads a small table as a whole would stay while the table
 * grows; with these settings it cannot be made. They hold for the foreign keys' own lookups too.
 */
export const indexOnlyPlans = `set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off`
