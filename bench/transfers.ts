/** Accepted transfers and redeems of one key from many wallets, compared with mints, where a commit takes 5 ms. */
import { randomBytes, randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { openPostgres } from '../src/db/postgres.ts'
import { type Caller, createAcceptance } from '../src/orders/accept/service.ts'
import { checksumAddress } from '../src/orders/address.ts'
import { A_BANK, giveBank } from '../test/support/bank-details.ts'
import { currentLoad, progress, publish } from './support/report.ts'
import { medians, roundsTable } from './support/rounds.ts'
import { CHAIN_ID, COIN, startBench, WALLET } from './support/service.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    callers: { type: 'string', default: '64' },
    wallets: { type: 'string', default: '500' },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const [callers, wallets] = [Number(values.callers), Number(values.wallets)]
type Kind = 'mint' | 'transfer' | 'redeem'
const KINDS: readonly Kind[] = ['mint', 'transfer', 'redeem']
const COLUMNS = {
  mints: 'mints/s',
  transfers: 'transfers/s',
  ratio: 'transfers ÷ mints',
  redeems: 'redeems/s',
  redeemRatio: 'redeems ÷ mints',
}
const UNLIMITED = 10n ** 18n
const loadBefore = currentLoad()
const bench = await startBench()
try {
  const admin = await openPostgres({ url: bench.url, poolSize: 1 })
  await admin.query('alter system set commit_delay = 5000')
  await admin.query('alter system set commit_siblings = 0')
  await admin.query('select pg_reload_conf()')
  const customers = await addCustomers()
  const db = await openPostgres({ url: bench.url, poolSize: 10 })
  const acceptance = createAcceptance({
    db,
    chains: new Map([
      [
        CHAIN_ID,
        { chainId: CHAIN_ID, network: 'Bench', tokenAddress: COIN, contracts: [COIN], hasSanctionsOracle: false },
      ],
    ]),
    defaultChainId: CHAIN_ID,
    policy: {
      mintFloorMicro: 1n,
      mintCeilingMicro: 1_000_000_000_000_000n,
      mintDayCapMicro: null,
      redeemCeilingMicro: UNLIMITED,
      nonResidentLimitMicro: UNLIMITED,
      monthlyWithdrawalCapMicro: UNLIMITED,
      transferTxCapMicro: UNLIMITED,
      transferDayCapMicro: UNLIMITED,
      feeMicro: { MINT: 0n, REDEEM: 0n },
    },
    wallets: {
      balanceAt: async () => UNLIMITED,
      isLinked: async () => true,
      isFrozen: async () => false,
      isSanctioned: async () => false,
    },
  })
  const scopes = ['mint', 'redeem', 'transfer'].flatMap((name) => [`${name}:create`, `${name}:execute`])
  const caller: Caller = {
    integrationId: bench.integrationId,
    keyId: bench.keyId,
    scopes: new Set(scopes),
    transferTxCapMicro: null,
    transferDayCapMicro: null,
    mintDayCapMicro: null,
    capKeyId: null,
  }
  const post = (kind: Kind, n: number) => {
    const { customerId = '', wallet = '' } = customers[n % customers.length] ?? {}
    const body = {
      referenceId: randomUUID(),
      ...(kind === 'mint' ? { amountMyr: '1', fiatConfirmed: true } : { amountCoin: '1' }),
      walletAddress: kind === 'redeem' ? wallet : WALLET,
      customerId,
    }
    return acceptance[kind]({
      caller,
      idempotencyKey: body.referenceId,
      fingerprint: body.referenceId.replaceAll('-', ''),
      body,
    })
  }
  const perSecond = async (kind: Kind, forSeconds: number): Promise<number> => {
    const end = performance.now() + forSeconds * 1000
    let accepted = 0
    const keepPosting = async (): Promise<void> => {
      while (performance.now() < end) {
        const { status } = await post(kind, accepted)
        if (status !== 201) throw new Error(`answered ${status}`)
        accepted += 1
      }
    }
    await Promise.all(Array.from({ length: callers }, keepPosting))
    return accepted / forSeconds
  }
  for (const kind of KINDS) await perSecond(kind, Math.min(2, seconds))
  const measured: Record<keyof typeof COLUMNS, number>[] = []
  for (let turn = 0; turn < rounds; turn += 1) {
    const mints = await perSecond('mint', seconds)
    const transfers = await perSecond('transfer', seconds)
    const redeems = await perSecond('redeem', seconds)
    measured.push({ mints, transfers, ratio: transfers / mints, redeems, redeemRatio: redeems / mints })
    progress(turn + 1, rounds, measured.at(-1) ?? {})
  }
  await db.close()
  await admin.close()
  publish({
    name: 'transfers',
    title: 'Accepting transfers and redeems of one key',
    method: `Transfers and redeems of one key from ${wallets} wallets, against confirmed mints: ${callers} callers of the acceptance itself (no HTTP; a chain
that answers at once), PostgreSQL with durable commits and \`commit_delay\` of 5 ms. ${rounds} rounds of ${seconds} s each in turn, after a warm-up.`,
    rows: roundsTable(COLUMNS, measured),
    measured: { transfers: medians(measured).ratio },
    numbers: medians(measured),
    notes: [
      `In turns with the code that recorded each transfer by itself (three runs of 4 s each on 2026-11-21, the machine shared with others): transfers/s 124, 154 and 103
before, 1,235, 1,409 and 1,132 after; mints/s 1,684, 2,287 and 1,729 before, 1,727, 1,127 and 1,953 after.`,
    ],
    versions: { PostgreSQL: bench.postgresVersion },
    loadBefore,
  })
} finally {
  await bench.end()
}

/** Verified customers with a bank account and a wallet each, and a chain that a settler has seen. */
async function addCustomers(): Promise<{ customerId: string; wallet: string }[]> {
  const ids = Array.from({ length: wallets }, () => `cus_${randomBytes(12).toString('hex')}`)
  const addresses = ids.map(() => checksumAddress(`0x${randomBytes(20).toString('hex')}`))
  await bench.db.query(
    `insert into customers (customer_id, integration_id, account_type, verification_status, verification_level,
       verified_at, country_code, is_resident, monthly_cap_micro)
     select c, $2, 'RETAIL', 'VERIFIED', 'TIER_2', now(), 'MY', true, 100000000000000000 from unnest($1::text[]) c`,
    [ids, bench.integrationId],
  )
  await bench.db.query(
    'insert into wallets (customer_id, address, is_primary) select c, a, true from unnest($1::text[], $2::text[]) as v (c, a)',
    [ids, addresses],
  )
  await bench.db.query(
    `insert into chains (chain_id, coin_address, settlement_address, genesis_hash, observed_block) values ($1, $2, $2, '0x00', 1)`,
    [CHAIN_ID, COIN],
  )
  await giveBank(bench.db, A_BANK)
  return ids.map((customerId, index) => ({ customerId, wallet: addresses[index] ?? '' }))
}
