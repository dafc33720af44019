/** /wallets: wallets of customers, linked on every configured chain so that settlements may debit them. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { findCustomerOfAny, lockCustomer } from '../../customers/customers.sql.ts'
import { addWallet, findOtherHolder, listWallets } from '../../customers/wallets.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { parseWalletAddress } from '../address.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorChain, OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { Flag, parse, text } from '../parse.ts'
import { knownCustomer } from './customer.ts'

const Addition = Type.Object(
  { customerId: text(1, 100), address: text(1, 60), primary: Type.Optional(Flag), shared: Type.Optional(Flag) },
  { additionalProperties: false },
)
const Query = Type.Object({ customerId: text(1, 100) }, { additionalProperties: false })

type Link = { chainId: number; txHash: string | null }

export function walletRoutes(app: FastifyInstance, { db, chains }: OperatorDeps): void {
  // The wallet is linked first and recorded then, so a recorded wallet is always linked. If anything stops it in
  // between, running it again repairs it.
  app.post('/wallets', async ({ body }) => {
    const { customerId, address, primary = false, shared = false } = parse(Addition, body)
    const walletAddress = parseWalletAddress(address)
    refuseContracts(chains, walletAddress)
    await audited(
      db,
      (tx) => checkWallet(tx, customerId, walletAddress, shared),
      () => ({ action: 'wallet.add.begun', target: customerId, details: { walletAddress, primary, shared } }),
    )
    const links = await linkEverywhere(chains, walletAddress)
    const wallet = await audited(
      db,
      async (tx) => {
        await lockCustomer(tx, customerId)
        await checkWallet(tx, customerId, walletAddress, shared)
        await addWallet(tx, { customerId, address: walletAddress, makePrimary: primary })
        const wallets = await listWallets(tx, customerId)
        return found(
          wallets.find((listed) => listed.address === walletAddress),
          'wallet',
          walletAddress,
          'wallet list',
        )
      },
      ({ isPrimary }) => ({
        action: 'wallet.add',
        target: customerId,
        details: {
          walletAddress,
          isPrimary,
          links: links.map((link) => `${link.chainId}:${link.txHash ?? 'linked before'}`),
        },
      }),
    )
    return { ok: true, walletAddress, isPrimary: wallet.isPrimary, links }
  })

  app.get('/wallets', async ({ query }) => {
    const { customerId } = parse(Query, query)
    knownCustomer(await findCustomerOfAny(db, customerId), customerId)
    return { ok: true, wallets: await listWallets(db, customerId) }
  })
}

/** A contract of the service is nobody's wallet. */
function refuseContracts(chains: readonly OperatorChain[], address: string): void {
  const contracts = chains.flatMap(({ config }) => [config.coin.address.toLowerCase(), config.settlement.toLowerCase()])
  if (!contracts.includes(address.toLowerCase())) return
  throw new OperatorError('BAD_REQUEST', `${address} is a contract of this service, not a customer's wallet.`)
}

async function checkWallet(tx: Queryable, customerId: string, address: string, shared: boolean): Promise<void> {
  knownCustomer(await findCustomerOfAny(tx, customerId), customerId)
  const other = await findOtherHolder(tx, customerId, address)
  if (other === undefined || shared) return
  throw new OperatorError(
    'CONFLICT',
    `${address} is a wallet of ${other}: each of the two could spend the other's coin. Add --shared if that is meant.`,
  )
}

/** Links one chain after the other, so that a failure leaves no doubt which ones are done. */
async function linkEverywhere(chains: readonly OperatorChain[], address: string): Promise<Link[]> {
  const links: Link[] = []
  for (const { config, admin } of chains) {
    links.push({ chainId: config.chainId, txHash: (await admin.linkWallet(address)) ?? null })
  }
  return links
}
