/** The real program with the role `api` over a durable PostgreSQL server of its own, and one caller with a customer. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { insertCustomer } from '../../src/customers/customers.sql.ts'
import type { Database } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { generateApiKey, SCOPES } from '../../src/integrations/api-key.ts'
import { insertKey } from '../../src/integrations/api-keys.sql.ts'
import { createIntegration } from '../../src/integrations/integrations.sql.ts'
import { checksumAddress } from '../../src/orders/address.ts'
import { giveBank } from '../../test/support/bank-details.ts'
import { type GuardedProcess, startGuarded } from '../../test/support/guarded-process.ts'
import { startPostgresServer } from '../../test/support/postgres-server.ts'
import { temporaryFolder } from '../../test/support/temp.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import { cpuUsOf, cpuUsOfFamily } from './cpu.ts'

export const CHAIN_ID = 31337
export const COIN = checksumAddress('0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359')
export const WALLET = checksumAddress('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed')
const SETTLEMENT = checksumAddress('0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb')
const KEY_VARIABLES = ['SIGNER_KEY', 'LINKER_KEY', 'PAUSER_KEY']
const UNLIMITED = 1_000_000
const ROOT = path.join(import.meta.dirname, '../..')

export type Bench = {
  url: string
  db: Database
  integrationId: string
  customerId: string
  apiKey: string
  keyId: string
  /** The server's `server_version`. */
  postgresVersion: string
  /** Microseconds of processor time that the whole server has taken. */
  postgresCpuUs(): number
  end(): Promise<void>
}

/** A migrated database on a server of its own (fsync and synchronous_commit on), with one caller. */
export async function startBench(): Promise<Bench> {
  const server = await startPostgresServer()
  const db = await openPostgres({ url: server.url, poolSize: 2, statementTimeoutMs: 600_000 })
  await migrate(db)
  const { integrationId } = await createIntegration(db, { name: 'Bench' })
  const { keyId, apiKey, secretSha256 } = generateApiKey('sandbox')
  const none = {
    transferTxCapMicro: null,
    transferDayCapMicro: null,
    mintDayCapMicro: null,
    expiresAt: null,
    ipAllowlist: [],
  }
  const rates = { read: null, write: null, balances: null }
  await insertKey(db, { integrationId, environment: 'sandbox', scopes: SCOPES, keyId, secretSha256, rates, ...none })
  const customerId = await insertCustomer(db, integrationId, {
    accountType: 'ENTERPRISE',
    status: 'VERIFIED',
    level: 'TIER_2',
    countryCode: 'MY',
    isResident: true,
    monthlyCapMicro: 500_000_000_000n,
    canMint: true,
    canRedeem: true,
    canTransfer: true,
    bankId: null,
  })
  await giveBank(db, { bic: 'MBBEMYKL', account: '112233445566', name: 'BENCH' }, { customerId })
  const [version] = await db.query<{ version: string }>(`select current_setting('server_version') as version`)
  return {
    url: server.url,
    db,
    integrationId,
    customerId,
    apiKey,
    keyId,
    postgresVersion: version?.version ?? '',
    postgresCpuUs: () => cpuUsOfFamily(server.pid),
    async end() {
      await db.close()
      await server.stop()
    },
  }
}

export type Api = {
  process: GuardedProcess
  port: number
  operatorPort: number
  /** Microseconds of processor time that the process has taken. */
  cpuUs(): number
  stop(): Promise<void>
}

/**
 * Starts `src/main.ts` with the role `api` as in production: default settings, and request lines at level `info` to a
 * file; only the rate limits are lifted. Nobody settles, so no chain is asked.
 * @param options.poolSize connections to the database
 * @param options.root the folder of the project that is started; default: this one
 * @param options.nodeArgs e.g. `--cpu-prof`
 * @param options.env further settings
 */
export async function startApi(
  bench: Bench,
  options: { poolSize: number; root?: string; nodeArgs?: string[]; env?: NodeJS.ProcessEnv },
): Promise<Api> {
  const folder = temporaryFolder('bench')
  const chainsFile = path.join(folder, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify({ chains: [unusedChain()] }))
  const outputFile = path.join(folder, 'log')
  const started = await startGuarded(
    process.execPath,
    [...nodeFlags(), ...(options.nodeArgs ?? []), path.join(options.root ?? ROOT, 'src/main.ts')],
    {
      orphanSignal: 'TERM',
      outputFile,
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        COIN_ROLES: 'api',
        PORT: '0',
        OPERATOR_PORT: '0',
        DATA_DIR: folder,
        CHAINS_FILE: chainsFile,
        DATABASE_URL: bench.url,
        DATABASE_POOL_SIZE: String(options.poolSize),
        RATE_WRITE: String(UNLIMITED),
        RATE_READ: String(UNLIMITED),
        ...options.env,
        ...Object.fromEntries(KEY_VARIABLES.map((name, index) => [name, `0x${String(index + 1).repeat(64)}`])),
      },
    },
  )
  const port = await waitFor('the API to listen', () => {
    if (!started.running()) throw new Error(started.output())
    return /"port":(\d+),"msg":"partner API listening"/.exec(started.output())?.[1]
  })
  const operatorPort = /"port":(\d+),"msg":"probes and metrics listening"/.exec(started.output())?.[1]
  return {
    process: started,
    port: Number(port),
    operatorPort: Number(operatorPort),
    cpuUs: () => cpuUsOf(started.pid),
    stop: () => started.end('SIGTERM', 30_000),
  }
}

/** The flags with which `npm start` starts the service. */
function nodeFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  return scripts.start.split(' ').filter((word) => /^--(max|no|heap)-/.test(word))
}

function unusedChain() {
  return {
    key: 'bench',
    name: 'Bench',
    chainId: CHAIN_ID,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    explorer: { baseUrl: 'http://127.0.0.1:9' },
    confirmations: 2,
    rpcUrls: ['http://127.0.0.1:9'],
    maxFeePerGasGwei: 100,
    coin: { address: COIN, name: 'Coin', symbol: 'COIN' },
    settlement: SETTLEMENT,
    signers: [{ type: 'key', privateKeyEnv: 'SIGNER_KEY' }],
    linker: { type: 'key', privateKeyEnv: 'LINKER_KEY' },
    pauser: { type: 'key', privateKeyEnv: 'PAUSER_KEY' },
  }
}
