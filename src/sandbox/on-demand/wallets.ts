/** Wallets of customers that are made on demand. */
import type { TypedDataDefinition } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { linkAccount } from '../../chain/instructions.ts'
import { consentTypedData } from '../../chain/links.ts'
import { lockCustomer } from '../../customers/customers.sql.ts'
import { addWallet } from '../../customers/wallets.sql.ts'
import type { OnDemandDeps } from './deps.ts'

const CONSENT_SECONDS = 3_600

/** @param secret 32 bytes in hex, from which its key is made */
export function addressOf(secret: string): `0x${string}` {
  return privateKeyToAccount(`0x${secret}`).address
}

/** Links a wallet on the chain, with its holder's consent where the coin demands it, and records it. Idempotent. */
export async function linkWallet(
  { db, chain }: Pick<OnDemandDeps, 'db' | 'chain'>,
  { integrationId, customerId, secret }: { integrationId: string; customerId: string; secret: string },
): Promise<void> {
  const holder = privateKeyToAccount(`0x${secret}`)
  const link = { wallet: holder.address, account: linkAccount(integrationId, customerId) }
  const { isLinked, nonce, consentRequired } = await chain.admin.linkState(link)
  if (!isLinked) {
    const deadline = BigInt(Math.floor(Date.now() / 1000) + CONSENT_SECONDS)
    const signature = await holder.signTypedData(
      consentTypedData(chain.config, link, { nonce, deadline }) as unknown as TypedDataDefinition,
    )
    await chain.admin.linkWallet({ ...link, ...(consentRequired ? { consent: { signature, deadline } } : {}) })
  }
  await db.transaction(async (tx) => {
    await lockCustomer(tx, customerId)
    await addWallet(tx, { customerId, address: holder.address, makePrimary: false })
  })
}
