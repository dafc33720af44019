/** /wallets/consent and /wallets/remove: what a holder signs, and the end of the link. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { consentTypedData } from '../../chain/links.ts'
import { findCustomerOfAny, lockCustomer } from '../../customers/customers.sql.ts'
import { deleteLinks, isBegun } from '../../customers/wallet-links.sql.ts'
import { listWallets, removeWallet } from '../../customers/wallets.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { readNow } from '../../db/now.sql.ts'
import { parseWalletAddress } from '../address.ts'
import { audited } from '../audit.sql.ts'
import { ChainId, chooseChain } from '../choose-chains.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { standing } from '../lost-chain.ts'
import { parse, text } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'
import { CONSENT_LIFETIME_SECONDS } from '../wallets/consent.ts'
import { linkOf, unlinkOnChains } from '../wallets/linking.ts'
import { knownCustomer } from './customer.ts'

const Asked = Type.Object(
  { customerId: text(1, 100), address: text(1, 60), chainId: Type.Optional(ChainId) },
  { additionalProperties: false },
)
const Removal = Type.Object({ customerId: text(1, 100), address: text(1, 60) }, { additionalProperties: false })

export function walletConsentRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { db } = deps
  app.post('/wallets/consent', async ({ body }) => {
    const { customerId, address, chainId } = parse(Asked, body)
    const customer = knownCustomer(await findCustomerOfAny(db, customerId), customerId)
    const { admin, config } = chooseChain(chainId === undefined ? standing(deps) : deps.chains, chainId)
    const link = linkOf(customer, parseWalletAddress(address))
    const { nonce } = await admin.linkState(link)
    const seconds = Math.floor((await readNow(db)).getTime() / 1000)
    const deadline = BigInt(seconds + CONSENT_LIFETIME_SECONDS)
    return { ok: true, typedData: consentTypedData(config, link, { nonce, deadline }) }
  })

  // The service stops relying on the wallet first, so that it accepts no order that the unlinked wallet could not pay.
  app.post('/wallets/remove', async ({ body }) => {
    const { customerId, address } = parse(Removal, body)
    const walletAddress = parseWalletAddress(address)
    const customer = knownCustomer(await findCustomerOfAny(db, customerId), customerId)
    const chains = standing(deps)
    for (const { admin } of chains) admin.requireKey('linker')
    const link = linkOf(customer, walletAddress)
    const wasTheirs = await audited(
      db,
      async (tx) => {
        // What was begun and cut off may be linked, and its holder's consent is kept.
        const wasBegun = await isBegun(tx, customerId, walletAddress)
        const isTheirs = (await forget(tx, customerId, walletAddress)) || wasBegun
        const states = () => Promise.all(chains.map(({ admin }) => admin.linkState(link)))
        await refuseIdle(
          async () => isTheirs || (await states()).some(({ isLinked }) => isLinked),
          `${walletAddress} is no wallet of ${customerId}, and is linked to it on no chain: there is nothing to remove.`,
        )
        return isTheirs
      },
      () => ({ action: 'wallet.remove.begun', target: customerId, details: { walletAddress } }),
    )
    const links = await unlinkOnChains(chains, link)
    await audited(
      db,
      (tx) => endLinks(tx, customerId, walletAddress),
      () => ({
        action: 'wallet.remove',
        target: customerId,
        details: {
          walletAddress,
          links: links.map(({ chainId, txHash }) => `${chainId}:${txHash ?? 'not linked'}`),
        },
      }),
    )
    // Of a mistyped address nothing is removed, and that must not look as if the right one were.
    const changed = wasTheirs || links.some(({ txHash }) => txHash !== null)
    return { ok: true, walletAddress, changed, links }
  })
}

/** What was added again meanwhile keeps what is known of its links: they may have been made after they were ended. */
async function endLinks(tx: Queryable, customerId: string, address: string): Promise<void> {
  await lockCustomer(tx, customerId)
  if ((await listWallets(tx, customerId)).some((wallet) => wallet.address === address))
    throw new OperatorError(
      'CONFLICT',
      `${address} was added to ${customerId} again while it was being removed: run "coin wallet remove --customer ${customerId} --address ${address}" again, or "coin wallet add --customer ${customerId} --address ${address}" if it is to stay.`,
    )
  await deleteLinks(tx, customerId, address)
}

/**
 * A wallet that is already gone is no problem: the command may have been cut off after this step.
 * @returns whether the customer had it
 */
async function forget(tx: Queryable, customerId: string, address: string): Promise<boolean> {
  await lockCustomer(tx, customerId)
  const wallets = await listWallets(tx, customerId)
  const isPrimary = wallets.some((wallet) => wallet.address === address && wallet.isPrimary)
  if (isPrimary && wallets.length > 1) {
    throw new OperatorError(
      'CONFLICT',
      `${address} is the primary wallet of ${customerId}: make another one primary first, with "coin wallet add --customer ${customerId} --address ADDRESS --primary".`,
    )
  }
  return await removeWallet(tx, customerId, address)
}
