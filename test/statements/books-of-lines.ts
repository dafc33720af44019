/** What the books must say of lines and payments, whatever was said of them before. */
import assert from 'node:assert/strict'
import type { Database } from '../../src/db/database.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'

/** What the accounts must come to, from lines, payouts and payments alone. */
const EXPECTED = `
  with shown as (select matched_to, count(*) filter (where amount_micro < 0) as debits, count(*) filter (where amount_micro > 0) as credits
    from bank_lines where matched_kind in ('payout', 'extra_payout') group by 1),
  paid as (select a.*, p.amount_sen * 10000 as micro, coalesce(s.debits, 0) as debits, coalesce(s.credits, 0) as credits
    from payout_attempts a join payouts p using (payout_id) left join shown s on s.matched_to = a.payout_id || '/' || a.attempt)
  select 'redeem_payable' as account, -sum(amount_sen) * 10000 as amount from payouts where status in ('queued', 'held', 'rejected', 'returned')
  union all
  select 'payout_clearing', -sum(amount_sen) * 10000 from payouts where status = 'sent'
  union all
  select 'payout_clearing', -sum(p.amount_sen) * 10000 from payouts p where p.status = 'paid_by_hand' and not exists (
    select from bank_lines l where l.matched_to = p.payout_id || '/by_hand' || case when p.by_hand > 1 then '/' || p.by_hand else '' end and l.amount_micro < 0)
  union all
  select 'reserve', sum(amount_micro) from bank_lines where state <> 'unbooked' and made_by is null
  union all
  select 'reserve', -sum(micro) from paid where status in ('paid', 'returned') and debits = 0
  union all
  select 'reserve', sum(micro) from paid where status = 'returned' and credits = 0
  union all
  select 'unallocated:' || bank_account, -sum(amount_micro) from bank_lines where state = 'unallocated' group by 1
  union all
  select 'extra', sum(micro) from paid where is_extra and status = 'paid'
  union all
  select 'own_funds:' || matched_to, -sum(amount_micro) from bank_lines where matched_kind = 'own_funds' group by 1
  union all
  select 'own_funds:' || l.bank_account, sum(case when l.amount_micro > 0 then p.amount_sen * 10000 - l.amount_micro else -p.amount_sen * 10000 - l.amount_micro end)
    from bank_lines l join payouts p on p.payout_id = split_part(l.matched_to, '/', 1) where l.matched_kind in ('payout', 'extra_payout', 'claim') group by 1
  union all
  select 'claims:' || coalesce((select d.bank_account from bank_lines d where d.matched_to = l.matched_to and d.amount_micro < 0), l.bank_account),
      -sign(l.amount_micro) * p.amount_sen * 10000
    from bank_lines l join payouts p on p.payout_id = split_part(l.matched_to, '/', 1) where l.matched_kind = 'claim'
  union all
  select 'own_transfers:' || matched_to, -sum(amount_micro) from bank_lines where matched_kind = 'own_transfer' group by 1
  union all
  select 'mint_receivable:' || matched_to, -sum(amount_micro) from bank_lines where matched_kind in ('mint', 'remitter') group by 1
  union all
  select 'mint_receivable:' || integration_id, sum(amount_micro) from orders where direction = 'MINT' and status = 'completed' group by 1
  union all
  select account || ':' || integration_id, sum(sign * fee_micro) from orders, (values ('fees_receivable', 1), ('fees', -1)) as f (account, sign)
    where batch_id is not null group by account, integration_id
  union all
  select 'fees_receivable:' || matched_to, -sum(amount_micro) from bank_lines where matched_kind = 'fees' group by 1`

/** The books, the lines and the payments say the same. */
export async function checkLines(db: Database): Promise<void> {
  const rows = await db.query<{ account: string; amount: string }>(
    `select account, sum(amount)::text as amount from (${EXPECTED}) e group by account`,
  )
  const expected = new Map<string, bigint>()
  const add = (to: Map<string, bigint>, account: string, amount: bigint) =>
    void to.set(account, (to.get(account) ?? 0n) + amount)
  for (const { account, amount } of rows) {
    // A payment too many stands where it left; of which account is compared by the sum of both.
    add(
      expected,
      account === 'extra' || account.startsWith('unallocated') ? 'unallocated' : account,
      BigInt(amount ?? 0),
    )
  }
  const actual = new Map<string, bigint>()
  for (const { kind, owner, balanceMicro } of await readBalances(db)) {
    if (kind === 'coins' || kind === 'residual') continue
    const isSummed = ['reserve', 'payout_clearing', 'redeem_payable', 'unallocated'].includes(kind)
    add(actual, isSummed ? kind : `${kind}:${owner}`, balanceMicro)
  }
  const shownOf = (of: Map<string, bigint>) =>
    Object.fromEntries([...of].filter(([, amount]) => amount !== 0n).sort(([one], [other]) => (one < other ? -1 : 1)))
  assert.deepEqual(shownOf(actual), shownOf(expected))
  await checkReserves(db)
  // No payment has two debits, or two credits, and none that a statement shows to have left is to be made again.
  const twice = await db.query(
    `select matched_to from bank_lines where matched_kind in ('payout', 'extra_payout') group by matched_to, sign(amount_micro) having count(*) > 1`,
  )
  assert.deepEqual(twice, [])
  const again = await db.query(
    `select p.payout_id, p.status, a.attempt, a.status as payment from payouts p join payout_attempts a using (payout_id)
     join bank_lines l on l.matched_to = a.payout_id || '/' || a.attempt and l.amount_micro < 0
     where a.status not in ('paid', 'returned') or a.status = 'paid' and not a.is_extra and p.status <> 'paid'`,
  )
  assert.deepEqual(again, [])
}

/** Each account of the books is what its statements say. */
async function checkReserves(db: Database): Promise<void> {
  const said = await db.query<{ account: string; amount: string }>(
    `select bank_account as account, sum(amount_micro)::text as amount from bank_lines where state <> 'unbooked' and made_by is null group by 1`,
  )
  const balances = await readBalances(db)
  for (const { account, amount } of said) {
    const booked = balances.find(({ kind, owner }) => kind === 'reserve' && owner === account)
    assert.equal(String(booked?.balanceMicro ?? 0n), amount, `reserve:${account}`)
  }
}

/** What every account came to at an instant, from the entries alone. */
export async function checkPast(db: Database): Promise<void> {
  const entries = await db.query<{ at: Date; day: string; from: Date; accounts: string[]; amounts: string[] }>(
    `select effective_at as at, day::text as day, greatest(effective_at, day::timestamp at time zone timezone) as from, accounts, amounts_micro::text[] as amounts
     from ledger_entries, ledger_book order by entry_id`,
  )
  const instants = [...new Set(entries.map(({ from }) => from.getTime()))].sort((one, other) => one - other)
  for (const instant of instants.filter((_, index) => index % 3 === 0 || index > instants.length - 3)) {
    for (const at of [instant - 1, instant]) {
      const replayed = new Map<string, bigint>()
      for (const entry of entries.filter(({ from }) => from.getTime() <= at)) {
        entry.accounts.forEach((account, index) => {
          replayed.set(account, (replayed.get(account) ?? 0n) + BigInt(entry.amounts[index] ?? 0))
        })
      }
      const read = (await readBalances(db, new Date(at))).filter(({ balanceMicro }) => balanceMicro !== 0n)
      assert.deepEqual(
        Object.fromEntries(read.map(({ kind, owner, balanceMicro }) => [`${kind}:${owner}`, balanceMicro])),
        Object.fromEntries(
          [...replayed].filter(([, amount]) => amount !== 0n).sort(([one], [two]) => (one < two ? -1 : 1)),
        ),
        `as of ${new Date(at).toISOString()}`,
      )
    }
  }
}
