/**
 * Demo data, made once per data folder and completed at every start: an integration with a key for every scope,
 * customers, linked wallets, and coin in them, minted by orders like any other.
 */
import { hash } from 'node:crypto'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getAddress } from 'viem'
import { insertOne } from '../bank-details/bank-details.sql.ts'
import type { Chain } from '../chain/chain.ts'
import { linkAccount } from '../chain/instructions.ts'
import { insertCorporate } from '../customers/corporates.sql.ts'
import { insertCustomer, lockCustomer, newCustomerId } from '../customers/customers.sql.ts'
import { addWallet } from '../customers/wallets.sql.ts'
import type { Database } from '../db/database.ts'
import { generateApiKey, SCOPES } from '../integrations/api-key.ts'
import { insertKey } from '../integrations/api-keys.sql.ts'
import { createIntegration, findIntegration, setIntegrationDpa } from '../integrations/integrations.sql.ts'
import { addRemitter } from '../integrations/remitters.sql.ts'
import type { AcceptanceService } from '../orders/accept/service.ts'
import { findOrder } from '../orders/read/orders.sql.ts'
import { type Parts, secretsOf } from '../roles/parts.ts'
import { developmentAccount, FIRST_WALLET } from './accounts.ts'
import { again } from './again.ts'
import { DEMO_REMITTER } from './bank/setup.ts'
import { DEMO_CORPORATE, DEMO_PARTIES } from './demo-parties.ts'
import { readKeptJson, writeKept } from './kept-file.ts'

export const KEY_FILE = 'sandbox-key'
const RECORD_FILE = 'demo.json'

export type DemoCustomer = { case: string; customerId: string; walletAddress: string | undefined }
export type DemoData = {
  integrationId: string
  keyId: string
  corporateId: string
  customers: DemoCustomer[]
  /** Set only at the start that made the key. */
  apiKey?: string
}

type Deps = Pick<Parts, 'secrets'> & {
  db: Database
  dataDir: string
  chains: readonly Chain[]
  acceptance: AcceptanceService
  /** How long to wait until the wallets have their coin. */
  fundingMs: number
}

/**
 * Makes what is missing and resolves when the wallets are linked and funded.
 * @returns `isFunded`: false when funding is slow and goes on by itself
 */
export async function prepareDemoData(deps: Deps): Promise<{ demo: DemoData; isFunded: boolean }> {
  const demo = (await readRecord(deps)) ?? (await makeParties(deps))
  for (const { customerId, walletAddress } of demo.customers) {
    if (walletAddress === undefined) continue
    const link = { ...demo, customerId, address: walletAddress }
    await again(() => linkWallet(deps, link))
  }
  return { demo, isFunded: await fundWallets(deps, demo) }
}

async function readRecord({ db, dataDir }: Deps): Promise<DemoData | undefined> {
  const demo = readKeptJson<DemoData>(path.join(dataDir, RECORD_FILE))
  return demo === undefined || (await findIntegration(db, demo.integrationId)) === undefined ? undefined : demo
}

async function makeParties({ db, dataDir, ...parts }: Deps): Promise<DemoData> {
  const { keyId, apiKey, secretSha256 } = generateApiKey('sandbox')
  writeKept(path.join(dataDir, KEY_FILE), `${apiKey}\n`)
  const secrets = secretsOf(parts)
  const demo = await db.transaction(async (tx) => {
    const { integrationId } = await createIntegration(tx, { name: 'Sandbox demo' })
    await setIntegrationDpa(tx, integrationId, new Date().toISOString().slice(0, 10))
    await addRemitter(tx, secrets, { integrationId, account: DEMO_REMITTER })
    await insertKey(tx, {
      keyId,
      integrationId,
      environment: 'sandbox',
      secretSha256,
      scopes: SCOPES,
      ipAllowlist: [],
      rates: { read: null, write: null, balances: null },
      transferTxCapMicro: null,
      transferDayCapMicro: null,
      mintDayCapMicro: null,
      expiresAt: null,
    })
    const customers: DemoCustomer[] = []
    for (const [index, party] of DEMO_PARTIES.entries()) {
      const customerId = newCustomerId()
      const bankId = party.bank === undefined ? null : await insertOne(tx, secrets, party.bank, { customerId })
      await insertCustomer(tx, integrationId, { ...party.details, bankId }, customerId)
      const walletAddress =
        party.fundingCoin === undefined ? undefined : developmentAccount(FIRST_WALLET + index).address
      customers.push({ case: party.case, customerId, walletAddress })
    }
    const corporateId = await insertCorporate(tx, integrationId, DEMO_CORPORATE)
    return { integrationId, keyId, corporateId, customers }
  })
  writeKept(path.join(dataDir, RECORD_FILE), `${JSON.stringify(demo, null, 2)}\n`)
  return { ...demo, apiKey }
}

type Link = { integrationId: string; customerId: string; address: string }

/** The sandbox's coin links wallets without consent. */
async function linkWallet({ db, chains }: Deps, { integrationId, customerId, address }: Link): Promise<void> {
  const link = { wallet: getAddress(address), account: linkAccount(integrationId, customerId) }
  for (const { reader, admin } of chains) {
    if (!(await reader.isLinkedTo(link.wallet, link.account))) await admin.linkWallet(link)
  }
  await db.transaction(async (tx) => {
    await lockCustomer(tx, customerId)
    await addWallet(tx, { customerId, address, makePrimary: false })
  })
}

/** The reference of the mint that funds the customer at `index`. */
export function fundingReference(index: number): string {
  return `sandbox-funding-${String(index + 1).padStart(4, '0')}`
}

/**
 * One mint per wallet, under a fixed reference: posted at every start, minted once.
 * @returns whether all of them are completed, in time
 */
async function fundWallets({ db, acceptance, fundingMs }: Deps, demo: DemoData): Promise<boolean> {
  const { integrationId, keyId } = demo
  const references: string[] = []
  for (const [index, { customerId, walletAddress }] of demo.customers.entries()) {
    const amountMyr = DEMO_PARTIES[index]?.fundingCoin
    if (walletAddress === undefined || amountMyr === undefined) continue
    const referenceId = fundingReference(index)
    await acceptance.mint({
      caller: {
        integrationId,
        keyId,
        scopes: new Set(SCOPES),
        transferTxCapMicro: null,
        transferDayCapMicro: null,
        mintDayCapMicro: null,
        capKeyId: null,
      },
      idempotencyKey: referenceId,
      fingerprint: hash('sha256', referenceId),
      body: { referenceId, amountMyr, walletAddress, customerId, fiatConfirmed: true },
    })
    references.push(referenceId)
  }
  const deadline = performance.now() + fundingMs
  do {
    const orders = await Promise.all(references.map((reference) => findOrder(db, integrationId, reference)))
    if (orders.every((order) => order?.status === 'completed')) return true
    await sleep(50)
  } while (performance.now() < deadline)
  return false
}
