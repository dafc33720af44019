/** Whether payouts that their bank does not answer hold up the others. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import type { Database } from '../src/db/database.ts'
import { createPayer } from '../src/payouts/payer.ts'
import { queuePayouts } from '../src/payouts/queue.sql.ts'
import { createHttpRail } from '../src/payouts/rails/http.ts'
import { addChain, addOrder, addParty } from '../test/operator/world.ts'
import { A_BANK, giveBank, TEST_SECRETS } from '../test/support/bank-details.ts'
import { believeBurns } from '../test/support/believed-burns.ts'
import { createTestDatabase } from '../test/support/database.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { currentLoad, median, publish, round } from './support/report.ts'

const { values } = parseArgs({
  options: { good: { type: 'string', default: '500' }, hanging: { type: 'string', default: '100' } },
})
const GOOD = Number(values.good)
const HANGING = Number(values.hanging)
const ROUNDS = 3
/** As in service.ts. */
const RAIL_TIMEOUT_MS = 10_000
/** How long the bank takes for an answer. */
const ANSWER_MS = 20
const HANGS = '999'
const MOST_MS = 120_000

const loadBefore = currentLoad()
const logger = pino({ level: 'silent' })
const server = await startPostgresServer()
process.env.TEST_POSTGRES_URL = server.url
const bank = await startBank()
try {
  const alone: number[] = []
  const beside: number[] = []
  for (let n = 0; n < ROUNDS; n += 1) {
    alone.push(await payAll(0))
    beside.push(await payAll(HANGING))
    console.log({ alone: alone.at(-1), beside: beside.at(-1) })
  }
  publish({
    name: 'payouts',
    title: 'Payouts beside a bank that hangs',
    method: `${GOOD} queued payouts that their bank accepts after ${ANSWER_MS} ms, alone, and behind ${HANGING} that came earlier and get no answer (the connection is given up after
${RAIL_TIMEOUT_MS / 1_000} s), by one payer over PostgreSQL and real HTTP. From the payer's start until the last of the ${GOOD} is sent, the median of ${ROUNDS} rounds in turn.`,
    rows: [
      ['payouts', 's', 'the slowest round, s'],
      [`${GOOD} alone`, round(median(alone) / 1_000), round(Math.max(...alone) / 1_000)],
      [`${GOOD} behind ${HANGING} that hang`, round(median(beside) / 1_000), round(Math.max(...beside) / 1_000)],
    ],
    goal: {
      what: 'time of the good ones beside those that hang, as a multiple of the time alone',
      measured: median(beside) / median(alone),
      bound: 1.5,
      atLeast: false,
    },
    loadBefore,
  })
} finally {
  bank.closeAllConnections()
  bank.close()
  await server.stop()
}

/** @returns the milliseconds until all good payouts were sent */
async function payAll(hanging: number): Promise<number> {
  const db = await createTestDatabase({ engine: 'postgres' })
  await addChain(db, 1, 100n)
  await believeBurns(db)
  await queue(db, HANGS, hanging)
  await queue(db, '1', GOOD)
  const rail = createHttpRail({
    url: `http://127.0.0.1:${(bank.address() as AddressInfo).port}/payouts`,
    connector: 'bank',
    token: 'a-token',
    timeoutMs: RAIL_TIMEOUT_MS,
  })
  const payer = createPayer({ db, rail, secrets: TEST_SECRETS, logger })
  const start = performance.now()
  payer.start()
  await waitFor(
    'all good payouts to be sent',
    async () => {
      const [row] = await db.query<{ sent: bigint }>(`select count(*) as sent from payouts where status = 'sent'`)
      return Number(row?.sent) === GOOD
    },
    { timeoutMs: MOST_MS },
  )
  const tookMs = performance.now() - start
  bank.closeAllConnections()
  await payer.stop()
  await db.close()
  return tookMs
}

/** Burnt redeems of one customer, and their payouts to an account that begins with `prefix`. */
async function queue(db: Database, prefix: string, count: number): Promise<void> {
  const party = await addParty(db)
  await giveBank(db, { ...A_BANK, account: `${prefix}0000000` }, { customerId: party.customerId })
  const order = { chainId: 1, direction: 'REDEEM', state: 'payoutPending', amountMicro: 1_000_000n } as const
  const burnt: { orderId: bigint; customerId: string; amountMicro: bigint }[] = []
  for (let n = 0; n < count; n += 1) {
    burnt.push({
      orderId: await addOrder(db, party, order),
      customerId: party.customerId,
      amountMicro: order.amountMicro,
    })
  }
  if (count > 0) await db.transaction((tx) => queuePayouts(tx, burnt))
}

/** Accepts what goes to any account but those that hang. */
async function startBank() {
  const one = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { endToEndId: string; creditor: { account: string } }
      if (body.creditor.account.startsWith(HANGS)) return
      const answer = JSON.stringify({ status: 'accepted', reference: `BANK-${body.endToEndId}` })
      setTimeout(() => response.writeHead(202, { 'content-type': 'application/json' }).end(answer), ANSWER_MS)
    })
  })
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
  return one
}
