/** Everything that the month needs: a database, the doors of the service, two scripted chains and a bank that works by files. */
import { mock } from 'node:test'
import { addRemitter } from '../../src/integrations/remitters.sql.ts'
import { settleTimezone } from '../../src/ledger/periods.sql.ts'
import { createBankFilesRail } from '../../src/payment-files/rail.ts'
import { chainDouble, startOperator } from '../operator/fixture.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { SILENT } from '../support/bank-setup.ts'
import { createBankWorld } from '../support/bank-world.ts'
import { createTestDatabase } from '../support/database.ts'
import { CHAIN_ID, OTHER_CHAIN_ID } from '../support/orders.ts'
import { payDue } from '../support/pay-due.ts'
import { createRandom } from '../support/random.ts'
import { someBank } from '../support/statements.ts'
import { createScriptedChain } from './chain.ts'
import { createExpected } from './expected.ts'

export type MonthOptions = {
  orders: number
  seed: string
  print?: (line: string) => void
}

export type MonthWorld = Awaited<ReturnType<typeof createMonthWorld>>

/** The month that is played: it is over, so that its days can be closed, and the calendar and the samples know it. */
export const FIRST_DAY = '2026-10-01'
export const DAYS = 31
const TIMEZONE = 'Asia/Kuala_Lumpur'

export async function createMonthWorld({ orders, seed }: MonthOptions) {
  const random = createRandom(seed)
  const db = await createTestDatabase({ engine: 'postgres', poolSize: 20 })
  await db.transaction((tx) => settleTimezone(tx, TIMEZONE))
  const service = await createBankWorld(db)
  const chains = [CHAIN_ID, OTHER_CHAIN_ID].map((chainId) =>
    createScriptedChain(db, chainId, { random: random.fork(`chain ${chainId}`), fail: 0.01 }),
  )
  const doubles = chains.map(({ chainId }) => chainDouble(chainId))
  const operator = await startOperator({ db, chains: doubles.map(({ chain }) => chain) })
  const { colleague, stranger } = service.neighbours
  const { integrationId, customerId, walletAddress, caller } = service
  const capped = { ...caller, mintDayCapMicro: 10n ** 15n }
  const parties = [{ integrationId, customerId, walletAddress, caller: capped }, colleague, stranger]
  const accounts = [
    { integrationId, name: 'Partner', account: '70001234567' },
    { integrationId: stranger.integrationId, name: 'Stranger', account: '70007654321' },
  ]
  for (const each of accounts) await db.transaction((tx) => addRemitter(tx, TEST_SECRETS, each))

  return {
    db,
    service,
    chains,
    operator,
    parties,
    accounts,
    random,
    bank: someBank({ seed, day: FIRST_DAY, openingSen: 5_000_000n, fateOf: fateEvery(orders) }),
    expected: createExpected(),
    /** Every clock that the service's code reads. The database's own says today. */
    setClock(instant: string): void {
      service.clock.now = new Date(instant)
      mock.timers.setTime(service.clock.now.getTime())
    },
    /** What the service reads of the chains. */
    showChains(): void {
      for (const [place, { chainId, balances, state }] of chains.entries()) {
        const double = doubles[place]
        if (double !== undefined) double.state.supplyMicro = state.supplyMicro
        for (const [wallet, micro] of balances) service.chain.balances.set(`${chainId} ${wallet}`, micro)
      }
      service.chain.balanceMicro = chains[0]?.balances.get(walletAddress) ?? 0n
    },
    /** Hands every due payout to the rail of bank files, as the payer does, and files it. @returns the files */
    async pay(): Promise<string[]> {
      const rail = createBankFilesRail(service.filingDeps())
      while ((await payDue({ db, rail, secrets: TEST_SECRETS, logger: SILENT as never })) > 0);
      return (await service.file()).files
    },
    /** One request to the operator API that must succeed. */
    async ask(method: 'GET' | 'POST', target: string, body?: unknown) {
      const answer = await operator.call(method, target, body)
      if (answer.status !== 200) throw new Error(`${method} ${target}: ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    async close(): Promise<void> {
      await operator.close()
      await service.close()
    },
  }
}

/** One payment of some is refused, given back or late, in turn, whoever it is for. */
function fateEvery(orders: number) {
  const every = orders > 5_000 ? 40 : 9
  let count = 0
  return () => {
    count += 1
    return count % every === 0
      ? ((['rejected', 'returned', 'pending'] as const)[(count / every) % 3] ?? 'paid')
      : 'paid'
  }
}
