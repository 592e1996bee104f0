/**
 * Builds SQL that inserts the missing transfers of a merchant's settled LIVE payments of 1 NGN each, and updates the two
 * accounts between which they move.
 */
export const transfersOfPayments = (schema: string, merchantId: string): string => `
  with paid as (
    select p.id, p.settled_at from ${schema}.payment p
    where p.merchant_id = '${merchantId}' and p.environment = 'LIVE' and p.status = 'SETTLED' and not exists (
      select from ${schema}.transfer t where t.merchant_id = p.merchant_id and t.environment = 'LIVE' and t.payment_id = p.id
    )
  ),
  account as (
    insert into ${schema}.account (environment, kind, currency, merchant_id, balance_minor)
    select 'LIVE', a.kind, 'NGN', '${merchantId}', a.sign * 100 * (select count(*) from paid)
    from (values ('EXTERNAL', -1), ('SETTLEMENT', 1)) a (kind, sign)
    on conflict on constraint account_key
      do update set balance_minor = account.balance_minor + excluded.balance_minor
    returning id, kind
  )
  insert into ${schema}.transfer
    (id, kind, environment, currency, debit_account_id, credit_account_id, amount_minor, merchant_id, payment_id, at)
  select ${schema}.uuid_v7(p.settled_at), 'PAYMENT', 'LIVE', 'NGN', debit.id, credit.id, 100, '${merchantId}', p.id,
    p.settled_at
  from paid p join account debit on debit.kind = 'EXTERNAL' join account credit on credit.kind = 'SETTLEMENT'`
