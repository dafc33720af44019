/** Errors that are planted once the month is over, one after the other, past the service. None is undone: each adds exactly its own difference. */
import assert from 'node:assert/strict'
import type { Param } from '../../src/db/database.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { checkPart } from '../../src/operator/reconcile/turns.ts'
import { insertMovement } from '../../src/settlement/tables/movements.sql.ts'
import { sealBooks } from '../support/seal-books.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type Difference, findDifferences, type Month, nameOf } from './month.ts'
import { steal } from './theft.ts'
import type { MonthWorld } from './world.ts'

/** Plants one error. @returns what reconcile must say now that it did not say before, as `kind subject` */
type Plant = (world: MonthWorld) => Promise<readonly string[]>

/** One row, changed without any guard. `text` returns what the differences are named by. */
async function change<T extends Record<string, string | null>>(
  { db }: MonthWorld,
  text: string,
  params: readonly Param[] = [],
): Promise<T> {
  const [row, other] = await withoutGuards(db, (tx) => tx.query<T>(text, [...params]))
  assert.ok(row !== undefined && other === undefined, `one row is changed by: ${text}`)
  return row
}

const newestPaid = (offset: number) =>
  `(select p.payout_id from payouts p join orders o using (order_id) where p.status = 'paid'
    order by p.created_at desc, p.payout_id offset ${offset} limit 1)`
const newest = (direction: string, offset: number) =>
  `(select order_id from orders where direction = '${direction}' and status = 'completed' and integration_id <> 'refunds'
    order by order_id desc offset ${offset} limit 1)`
const BATCH = `'batch/' || chain_id || '/' || batch_id || '/' || integration_id as batch`

const payout =
  (text: string): Plant =>
  async (world) => [`books ${(await change<{ payout_id: string }>(world, text)).payout_id}`]

/** What a key or customer has used is counted by the amounts of its orders. */
const amountOf =
  (direction: 'MINT' | 'REDEEM' | 'TRANSFER', offset: number): Plant =>
  async (world) => {
    const { batch, counter } = await change<{ batch: string; counter: string | null }>(
      world,
      `update orders set amount_micro = amount_micro + 10000 where order_id = ${newest(direction, offset)} returning ${BATCH},
         case direction when 'MINT' then 'mint_usage ' || mint_cap_key_id || ':' || mint_cap_day
           when 'REDEEM' then 'withdrawal_usage ' || customer_id
           else 'transfer_usage ' || key_id || ':' || (created_at at time zone 'UTC')::date end as counter`,
    )
    // A key without a cap has no counter of mints.
    const counters = counter === null ? [] : [counter]
    return direction === 'TRANSFER' ? counters : [`books ${batch}`, ...counters]
  }

const counter =
  (text: string): Plant =>
  async (world) => [(await change<{ name: string }>(world, text)).name]

const theft =
  (chainPlace: number, kind: 'MINT' | 'REDEEM' | 'TRANSFER'): Plant =>
  async (world) => {
    const chain = world.chains[chainPlace]
    assert.ok(chain)
    const batch = await steal(world, chain, [kind])
    return [`foreign_batch ${batch}`, ...(kind === 'TRANSFER' ? [] : [`supply ${chain.chainId}`])]
  }

/** Coin that somebody with a role on the coin itself has minted, in no batch. */
const mintOutside: Plant = async (world) => {
  const chain = world.chains[1]
  assert.ok(chain)
  const { chainId, state } = chain
  state.supplyMicro += 5_000_000n
  const seen = { details: '5 coin more exist than batches have made', afterBlock: state.block, seenBlock: state.block }
  await world.db.transaction((tx) =>
    insertMovement(tx, chainId, { kind: 'supply', ...seen, amountMicro: 5_000_000n, transactions: [], pauses: true }),
  )
  const [row] = await world.db.query<{ id: string }>('select max(movement_id)::text as id from foreign_movements')
  return [`foreign_movement ${chainId}/${row?.id}`, `supply ${chainId}`]
}

const LINE = `bank_account || '/' || (select statement_id from bank_statements s where s.statement_no = l.statement_no)`
/** A line that is no payment of ours is compared with its own entry as well. */
const lineOf =
  (kind: 'remitter' | 'payout'): Plant =>
  async (world) => {
    const { statement, place } = await change<{ statement: string; place: string }>(
      world,
      `update bank_lines l set amount_micro = amount_micro + 10000 where line_no = (
         select line_no from bank_lines where matched_kind = '${kind}' and state = 'matched' order by line_no desc offset ${kind === 'payout' ? 'all_but' : 0} limit 1)
       returning ${LINE} as statement, ${LINE} || '/' || entry || '.' || detail as place`.replace(
        'all_but',
        `(select count(*) from bank_lines b where b.matched_kind = 'payout' and b.state = 'matched' and b.statement_no = (
           select max(statement_no) from bank_lines where matched_kind = 'payout' and state = 'matched'))`,
      ),
    )
    return [`statement_changed ${statement}`, ...(kind === 'remitter' ? [`statement_line ${place}`] : [])]
  }

const residual: Plant = async (world) => {
  const { owner } = await change<{ owner: string }>(
    world,
    `update customer_residuals r set owed_micro = 0, reserved_micro = 0 from customers c where c.customer_id = r.customer_id
       and r.customer_id = (select customer_id from customer_residuals where owed_micro > 0 order by 1 limit 1)
     returning c.integration_id as owner`,
  )
  return [`books ${owner}`]
}

/** A mint in a batch some way behind those whose orders were changed. */
const SETTLED_BEFORE = `(select order_id from orders where direction = 'MINT' and status = 'completed' and integration_id <> 'refunds'
  and chain_id = 31337 and batch_id <= (select max(batch_id) - 5 from batches where chain_id = 31337 and not is_foreign)
  order by order_id desc limit 1)`

/** What was minted for, and the coin. */
const ledgerLine: Plant = async (world) => {
  const { reference, entry } = await change<{ reference: string; entry: string }>(
    world,
    `update ledger_entries set amounts_micro[1] = amounts_micro[1] + 20000, amounts_micro[2] = amounts_micro[2] - 20000
     where reference = (select e.reference from ledger_entries e, orders o where o.order_id = ${SETTLED_BEFORE}
       and e.reference = 'batch/' || o.chain_id || '/' || o.batch_id || '/' || o.integration_id) returning reference, 'entry ' || entry_id as entry`,
  )
  const { firstBad } = await verifyLedger(world.db)
  assert.deepEqual(firstBad, { fault: 'entry changed or seal forged', subject: entry })
  return [`books ${reference}`]
}

/** The statement of a day does not come, and the next one does. */
const lostStatement: Plant = async ({ bank, service, setClock }) => {
  bank.deposit(700n, { name: 'Somebody', account: '61112223334' }, 'lost')
  bank.closeDay()
  setClock(`${bank.day()}T12:00:00Z`)
  const xml = bank.closeDay()
  assert.equal((await service.importXml(xml)).taken.result, 'applied')
  return [`statement_missing main/${/<Stmt>\s*<Id>([^<]+)/.exec(xml)?.[1]}`]
}

const PLANTS: readonly (readonly [string, Plant])[] = [
  [
    'a payout multiplied',
    payout(`update payouts set amount_sen = amount_sen * 1000 where payout_id = ${newestPaid(0)} returning payout_id`),
  ],
  ['a payout deleted', payout(`delete from payouts where payout_id = ${newestPaid(1)} returning payout_id`)],
  [
    'a payout doubled',
    payout(`insert into payouts (payout_id, order_id, customer_id, amount_sen, status, end_to_end_id, rail, rail_reference)
      select payout_id || '0', ${newest('MINT', 0)}, customer_id, amount_sen, status, 'SOME' || left(end_to_end_id, 8), rail, rail_reference
      from payouts where payout_id = ${newestPaid(2)} returning payout_id`),
  ],
  ['a residual zeroed', residual],
  ['a line of a remitter changed', lineOf('remitter')],
  ['a line of a payment changed', lineOf('payout')],
  ['a foreign mint', theft(0, 'MINT')],
  ['a foreign burn', theft(0, 'REDEEM')],
  ['a foreign transfer', theft(0, 'TRANSFER')],
  ['coin minted outside of batches', mintOutside],
  ["a mint's amount changed", amountOf('MINT', 1)],
  ["a redeem's amount changed", amountOf('REDEEM', 3)],
  ["a transfer's amount changed", amountOf('TRANSFER', 0)],
  ['a line of the ledger changed', ledgerLine],
  [
    'an earmark off',
    counter(`update wallet_earmarks set earmarked_micro = earmarked_micro + 1
      where (chain_id, address) = (select chain_id, address from wallet_earmarks order by 1, 2 limit 1)
      returning 'earmark ' || chain_id || ':' || address as name`),
  ],
  [
    'a counter of mints off',
    counter(`update mint_usage set committed_micro = committed_micro + 1 where (key_id, day) = (select key_id, day from mint_usage
        order by committed_micro desc limit 1) returning 'mint_usage ' || key_id || ':' || day as name`),
  ],
  [
    'a counter of transfers off',
    counter(`update transfer_usage set committed_micro = committed_micro + 1 where (key_id, day) = (select key_id, day from transfer_usage
        order by committed_micro desc limit 1) returning 'transfer_usage ' || key_id || ':' || day as name`),
  ],
  [
    'a counter of withdrawals off',
    counter(`update withdrawal_usage set committed_micro = committed_micro - 1 where (customer_id, month) = (select customer_id, month
        from withdrawal_usage order by committed_micro desc limit 1) returning 'withdrawal_usage ' || customer_id as name`),
  ],
  ['a statement lost', lostStatement],
]

/** What is recent has its turn within an hour, and of a small month everything sooner; a payout of which no entry speaks, when all before it have had theirs. */
const PARTS_OF_AN_HOUR = 60
const ENTRIES_OF_A_PART = 90
const PAYOUTS_OF_A_PART = 50

/** Plants every error. @returns how many */
export async function plantErrors(
  world: MonthWorld,
  { differences }: Month,
  print: (line: string) => void = () => {},
): Promise<number> {
  while ((await sealBooks(world.db, 1_000)).sealed > 0);
  const parts = await partsOf(world)
  let before: readonly Difference[] = differences
  for (const [what, plant] of PLANTS) {
    const expected = await plant(world)
    for (let part = 0; part < parts; part += 1) await checkPart(world.db)
    const after = await findDifferences(world)
    const known = new Set(before.map((each) => JSON.stringify(each)))
    const fresh = after.filter((each) => !known.has(JSON.stringify(each)))
    assert.deepEqual(fresh.map(nameOf).sort(), [...expected].sort(), `what ${what} changes`)
    const named = new Set(after.map(nameOf))
    assert.deepEqual(
      before.map(nameOf).filter((each) => !named.has(each)),
      [],
      `what ${what} hides`,
    )
    print(`${what}: ${fresh.map(({ message }) => message).join(' ')}`)
    before = after
  }
  return PLANTS.length
}

/** After how many parts of reconcile everything has had its turn. */
async function partsOf({ db }: MonthWorld): Promise<number> {
  const [counted] = await db.query<{ payouts: number; entries: number }>(
    'select (select count(*)::int from payouts) as payouts, (select count(*)::int from ledger_entries) as entries',
  )
  const { payouts = 0, entries = 0 } = counted ?? {}
  const ofEntries = Math.ceil(entries / ENTRIES_OF_A_PART) + 1
  return Math.max(Math.min(PARTS_OF_AN_HOUR, ofEntries), Math.ceil(payouts / PAYOUTS_OF_A_PART) + 1)
}
