/** Makes a customer of the calling integration for one outcome, with a wallet of its own. */
import { hash } from 'node:crypto'
import { insertOne } from '../../bank-details/bank-details.sql.ts'
import { findByExternalId, insertCustomer, newCustomerId } from '../../customers/customers.sql.ts'
import { violatedConstraint } from '../../db/database.ts'
import type { WriteCall } from '../../http/route.ts'
import { insertKey } from '../../integrations/api-keys.sql.ts'
import { appendAudit } from '../../operator/audit.sql.ts'
import type { Caller } from '../../orders/accept/service.ts'
import { KINDS } from '../../orders/kinds.ts'
import { denyAddress } from '../../screening/denials.sql.ts'
import { makeSecret } from '../../secrets/token-secret.ts'
import { VERIFIED } from '../demo-parties.ts'
import { type Finish, MADE_HERE } from './answered-once.ts'
import {
  BANK,
  type CustomerScenario,
  type CustomerScenarioName,
  customerScenario,
  ordersOf,
} from './customer-scenarios.ts'
import type { OnDemandDeps } from './deps.ts'
import { keyLike, wholeKey } from './key-like.ts'
import { completed, inTime } from './patience.ts'
import { requireScopes } from './scenario-input.ts'
import type { Subject } from './try.ts'
import { addressOf, linkWallet } from './wallets.ts'

const KEY_MS = 3_600_000

/**
 * Makes the customer and all that its scenario needs.
 * @returns what is left to write with the answer
 * @throws ApiError SCOPE_DENIED, SERVICE_UNAVAILABLE when the chain takes too long, and what its orders are refused for
 */
export async function makeCustomer(deps: OnDemandDeps, call: WriteCall, name: CustomerScenarioName): Promise<Finish> {
  const scenario = customerScenario(name)
  const needed = ordersOf(scenario).flatMap((direction) => KINDS[direction].scopes)
  requireScopes(call.key, needed)
  const { integrationId } = call.key
  const seed = deps.nameOf(integrationId, call.idempotencyKey, call.fingerprint)
  const secret = deps.nameOf(seed, 'wallet')
  const customerId = await findOrInsert(deps, integrationId, name, seed)
  const subject: Subject = {
    customerId,
    walletAddress: addressOf(secret),
    recipient: addressOf(deps.nameOf(seed, 'recipient')),
    name: (number) => `try-${seed.slice(0, 12)}-${number}`,
  }
  const { secret: keySecret, secretSha256 } = makeSecret()
  const key =
    scenario.key &&
    keyLike(call.key, {
      ...scenario.key,
      keyId: deps.nameOf(seed, 'key').slice(0, 16),
      secretSha256,
      capKeyId: null,
      expiresAt: new Date(Date.now() + KEY_MS),
    })
  const caller = key === undefined ? call.key : { ...call.key, ...key, scopes: call.key.scopes }
  await inTime(prepare(deps, scenario, { seed, secret, subject, caller }))
  return async (tx) => {
    if (key !== undefined) await insertKey(tx, key)
    return {
      answer: {
        scenario: name,
        customerId,
        walletAddress: subject.walletAddress,
        apiKey: key === undefined ? null : wholeKey(key.keyId, keySecret),
        tryIt: scenario.tries(subject, deps.policy),
      },
      entry: {
        action: 'sandbox.customer',
        target: customerId,
        details: { scenario: name, walletAddress: subject.walletAddress, keyId: key?.keyId ?? null },
      },
    }
  }
}

async function findOrInsert(
  { db, secrets }: OnDemandDeps,
  integrationId: string,
  scenario: CustomerScenarioName,
  seed: string,
): Promise<string> {
  const externalId = `${MADE_HERE}:${scenario}:${seed.slice(0, 24)}`
  const find = () => findByExternalId(db, integrationId, externalId)
  const known = await find()
  if (known !== undefined) return known
  const { details, bank = BANK } = customerScenario(scenario)
  try {
    return await db.transaction(async (tx) => {
      const customerId = newCustomerId()
      const bankId = bank === null ? null : await insertOne(tx, secrets, bank, { customerId })
      await insertCustomer(tx, integrationId, { ...VERIFIED, ...details, bankId, externalId }, customerId)
      await appendAudit(tx, {
        action: 'sandbox.customer.begun',
        target: customerId,
        details: { integrationId, scenario },
      })
      return customerId
    })
  } catch (error) {
    // The same request, sent twice at the same time.
    const other = violatedConstraint(error) === 'customers_external_id' ? await find() : undefined
    if (other === undefined) throw error
    return other
  }
}

type Made = { seed: string; secret: string; subject: Subject; caller: Caller }

/** What takes time. Each step does nothing when it was done before. */
async function prepare(deps: OnDemandDeps, scenario: CustomerScenario, { seed, secret, subject, caller }: Made) {
  const { db, chain, acceptance } = deps
  const { integrationId } = caller
  const { customerId, walletAddress, recipient } = subject
  const order = (kind: string, body: Record<string, unknown>) => {
    const referenceId = `${MADE_HERE}-${seed.slice(0, 24)}-${kind}`
    const asked = { referenceId, walletAddress, customerId, chainId: chain.config.chainId, ...body }
    return { caller, idempotencyKey: referenceId, fingerprint: hash('sha256', referenceId), body: asked }
  }
  const minting = async () => {
    if (scenario.coin === undefined) return
    const mint = order('mint', { amountMyr: scenario.coin, fiatConfirmed: true })
    await acceptance.mint(mint)
    await completed(db, integrationId, mint.body.referenceId)
  }
  const linking = async () => {
    if (scenario.isLinked === true) await linkWallet(deps, { integrationId, customerId, secret })
  }
  await Promise.all([minting(), linking()])
  const { uses } = scenario
  if (uses?.direction === 'REDEEM') {
    const redeem = order('redeem', { amountCoin: uses.amountCoin })
    await acceptance.redeem(redeem)
    await completed(db, integrationId, redeem.body.referenceId)
  }
  if (uses?.direction === 'TRANSFER') {
    const transfer = order('transfer', { amountCoin: uses.amountCoin, walletAddress: recipient })
    await acceptance.transfer(transfer)
    await completed(db, integrationId, transfer.body.referenceId)
  }
  if (scenario.frozen !== undefined) await chain.admin.freeze(walletAddress)
  if (scenario.deniesRecipient === true) await db.transaction((tx) => denyAddress(tx, recipient))
}
