/** /wallets: wallets of customers, linked on the chains so that settlements may debit them. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { findCustomerOfAny, lockCustomer } from '../../customers/customers.sql.ts'
import { beginLink, chainsBegun, findConsent, recordLinked } from '../../customers/wallet-links.sql.ts'
import { addWallet, findOtherHolder, listWallets, lockWallet } from '../../customers/wallets.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { parseWalletAddress } from '../address.ts'
import { audited } from '../audit.sql.ts'
import { ChainId, chooseChains } from '../choose-chains.ts'
import type { OperatorChain, OperatorDeps } from '../deps.ts'
import { refuseErased } from '../erased.ts'
import { found, OperatorError } from '../errors.ts'
import { standing } from '../lost-chain.ts'
import { Flag, parse, text } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'
import { parseConsent } from '../wallets/consent.ts'
import { assignConsents, linkOf, linkOnChains, requireLinkable, unlinkOnChains } from '../wallets/linking.ts'
import { knownCustomer } from './customer.ts'

const Addition = Type.Object(
  {
    customerId: text(1, 100),
    address: text(1, 60),
    primary: Type.Optional(Flag),
    shared: Type.Optional(Flag),
    chainId: Type.Optional(ChainId),
    consent: Type.Optional(text(4, 10_000)),
    deadline: Type.Optional(text(1, 12)),
  },
  { additionalProperties: false },
)
const Query = Type.Object({ customerId: text(1, 100) }, { additionalProperties: false })

export function walletRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { db, chains } = deps
  app.post('/wallets', async ({ body }) => {
    const { customerId, address, primary = false, shared = false, chainId, ...signed } = parse(Addition, body)
    const wallet = { customerId, address: parseWalletAddress(address), primary, shared }
    refuseContracts(chains, wallet.address)
    return await addToCustomer(
      deps,
      wallet,
      chooseChains(chainId === undefined ? standing(deps) : chains, chainId),
      parseConsent(signed),
    )
  })

  app.get('/wallets', async ({ query }) => {
    const { customerId } = parse(Query, query)
    knownCustomer(await findCustomerOfAny(db, customerId), customerId)
    return { ok: true, wallets: await listWallets(db, customerId) }
  })
}

type Wallet = { customerId: string; address: string; primary: boolean; shared: boolean }
type Given = ReturnType<typeof parseConsent>

/**
 * The consents are kept first, then the wallet is linked, and it is recorded last, so a recorded wallet was linked. If
 * anything stops this in between, running it again repairs it.
 */
async function addToCustomer(deps: OperatorDeps, wallet: Wallet, chosen: readonly OperatorChain[], given: Given) {
  const { db } = deps
  const { customerId, address: walletAddress, primary, shared } = wallet
  const { integrationId } = await checkWallet(db, wallet)
  for (const { admin } of chosen) admin.requireKey('linker')
  const link = linkOf({ integrationId, customerId }, walletAddress)
  const links = await Promise.all(
    chosen.map(async ({ config: { chainId }, admin }) => {
      const state = await admin.linkState(link)
      const demanded = state.consentRequired || deps.config.environment === 'live'
      return { chainId, state, demanded, kept: await findConsent(db, { customerId, address: walletAddress, chainId }) }
    }),
  )
  const consents = assignConsents(links, given)
  await requireLinkable(chosen, link, consents, links)
  await refuseIdle(
    async () => given !== undefined || links.some(({ state }) => !state.isLinked) || !(await isRecorded(db, wallet)),
    `${walletAddress} is ${primary ? 'the primary' : 'a'} wallet of ${customerId} and linked already: there is nothing to add.`,
  )
  await audited(
    db,
    async (tx) => {
      // Whoever erases the customer sees what is begun here, or has done so already.
      await lockCustomer(tx, customerId)
      await checkWallet(tx, wallet)
      for (const { chainId } of links)
        await beginLink(tx, { customerId, address: walletAddress, chainId }, consents.get(chainId))
    },
    () => ({ action: 'wallet.add.begun', target: customerId, details: { walletAddress, primary, shared } }),
  )
  const linked = await linkOnChains(chosen, link, consents)
  const { isPrimary } = await audited(
    db,
    (tx) => record(tx, wallet, linked),
    (added) => ({
      action: 'wallet.add',
      target: customerId,
      details: {
        walletAddress,
        isPrimary: added.isPrimary,
        links: linked.map(({ chainId, txHash }) => `${chainId}:${txHash ?? 'linked before'}`),
      },
    }),
  ).catch(async (error: unknown) => {
    // Whoever removed it meanwhile has found nothing to unlink where it was linked after that, and is not asked again.
    if (error instanceof OperatorError) {
      const begun = await chainsBegun(db, customerId, walletAddress)
      await unlinkOnChains(
        chosen.filter(({ config }) => !begun.has(config.chainId)),
        link,
      )
    }
    throw error
  })
  return { ok: true, walletAddress, isPrimary, links: linked }
}

/** Whether recording it would change nothing. */
async function isRecorded(db: Queryable, { customerId, address, primary }: Wallet): Promise<boolean> {
  const known = (await listWallets(db, customerId)).find((listed) => listed.address === address)
  return known !== undefined && (known.isPrimary || !primary)
}

async function record(tx: Queryable, wallet: Wallet, linked: readonly { chainId: number }[]) {
  const { customerId, address, primary } = wallet
  await lockCustomer(tx, customerId)
  await lockWallet(tx, address)
  await checkWallet(tx, wallet)
  await addWallet(tx, { customerId, address, makePrimary: primary })
  for (const { chainId } of linked) {
    if (!(await recordLinked(tx, { customerId, address, chainId })))
      throw new OperatorError(
        'CONFLICT',
        `${address} was removed from ${customerId} while it was being linked, and is linked no more.`,
      )
  }
  const wallets = await listWallets(tx, customerId)
  return found(
    wallets.find((listed) => listed.address === address),
    'wallet',
    address,
    'wallet list',
  )
}

/** A contract of the service is nobody's wallet. */
function refuseContracts(chains: readonly OperatorChain[], address: string): void {
  const contracts = chains.flatMap(({ config }) => [config.coin.address.toLowerCase(), config.settlement.toLowerCase()])
  if (!contracts.includes(address.toLowerCase())) return
  throw new OperatorError('BAD_REQUEST', `${address} is a contract of this service, not a customer's wallet.`)
}

async function checkWallet(tx: Queryable, { customerId, address, shared }: Wallet) {
  const customer = knownCustomer(await findCustomerOfAny(tx, customerId), customerId)
  refuseErased(customer)
  const other = await findOtherHolder(tx, customerId, address)
  if (other === undefined || shared) return customer
  throw new OperatorError(
    'CONFLICT',
    `${address} is a wallet of ${other}: each of the two could spend the other's coin. Add --shared if that is meant.`,
  )
}
