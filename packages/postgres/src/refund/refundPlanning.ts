/**
 * The two steps of `RefundStore.execute` are functions for the sake of their plans. These are made once per connection
 * and kept, often while the tables are still empty, and a plan that reads a small table as a whole would be kept while
 * the table grows. The settings allow index look-ups only. They hold for the foreign keys' own look-ups, too.
 */
export const refundPlanning = `set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off`
