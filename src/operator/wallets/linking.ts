/** Linking a wallet to a customer on the configured chains, with the consents that they need. */
import { getAddress } from 'viem'
import { linkAccount } from '../../chain/instructions.ts'
import type { Consent, LinkState, WalletLink } from '../../chain/links.ts'
import type { OperatorChain } from '../deps.ts'
import { OperatorError } from '../errors.ts'

/** A customer's link: the account is what the holder's consent names. */
export function linkOf(customer: { integrationId: string; customerId: string }, address: string): WalletLink {
  return { wallet: getAddress(address), account: linkAccount(customer.integrationId, customer.customerId) }
}

/** What is known about one chain before linking. */
export type ChainLink = {
  chainId: number
  state: LinkState
  /** Whether a consent is demanded: by the coin, or, in live, always. */
  demanded: boolean
  /** The consent of an earlier run that was cut off. */
  kept: Consent | undefined
}

/**
 * Which consent goes to which chain. A consent is valid for one chain only.
 * @param given the consent of this command
 * @returns by chain id
 * @throws OperatorError CONFLICT when a chain demands a consent that nobody gave, BAD_REQUEST when it is unclear which
 * chain it is for
 */
export function assignConsents(links: readonly ChainLink[], given: Consent | undefined): Map<number, Consent> {
  const consents = new Map<number, Consent>()
  for (const { chainId, kept } of links) if (kept !== undefined) consents.set(chainId, kept)
  const wanting = links.filter(({ state, demanded }) => demanded && !state.isLinked)
  if (given !== undefined) {
    const [only, ...more] = links.length === 1 ? links : wanting
    if (more.length > 0) throw new OperatorError('BAD_REQUEST', severalSentence(wanting))
    if (only !== undefined) consents.set(only.chainId, given)
  }
  const lacking = wanting.filter(({ chainId }) => !consents.has(chainId))
  if (lacking.length > 0) throw new OperatorError('CONFLICT', lackingSentence(lacking))
  return consents
}

function severalSentence(wanting: readonly ChainLink[]): string {
  return `The chains ${idsOf(wanting)} need one consent each: run the command for one chain at a time, with --chain.`
}

function lackingSentence(lacking: readonly ChainLink[]): string {
  return `On chain ${idsOf(lacking)} a wallet is linked only with its holder's consent: get what to sign with "coin wallet consent --customer ID --address ADDRESS", then repeat the command with --consent and --deadline.`
}

function idsOf(links: readonly ChainLink[]): string {
  return links.map(({ chainId }) => chainId).join(', ')
}

/** What was done on a chain: the transaction, or null when there was nothing to do. */
export type Linked = { chainId: number; txHash: string | null }

/** Links one chain after the other, so that a failure leaves no doubt which ones are done. */
export async function linkOnChains(
  chains: readonly OperatorChain[],
  link: WalletLink,
  consents: ReadonlyMap<number, Consent>,
): Promise<Linked[]> {
  const linked: Linked[] = []
  for (const { config, admin } of chains) {
    const txHash = await admin.linkWallet({ ...link, consent: consents.get(config.chainId) })
    linked.push({ chainId: config.chainId, txHash: txHash ?? null })
  }
  return linked
}

/**
 * A consent that the coin would refuse is refused when it is given, before somebody else approves it. Where the wallet is linked already,
 * nothing is asked.
 * @throws KeyActionRefusedError
 */
export async function requireLinkable(
  chains: readonly OperatorChain[],
  link: WalletLink,
  consents: ReadonlyMap<number, Consent>,
  links: readonly ChainLink[],
): Promise<void> {
  const linked = new Set(links.filter(({ state }) => state.isLinked).map(({ chainId }) => chainId))
  for (const { config, admin } of chains) {
    const consent = consents.get(config.chainId)
    if (consent !== undefined && !linked.has(config.chainId)) await admin.requireLinkable({ ...link, consent })
  }
}

/** Unlinks it on all chains at once: one that cannot be reached keeps it linked on no other. @throws what the first of them has thrown that failed */
export async function unlinkOnChains(chains: readonly OperatorChain[], link: WalletLink): Promise<Linked[]> {
  const unlinked = await Promise.allSettled(
    chains.map(async ({ config: { chainId }, admin }) => ({
      chainId,
      txHash: (await admin.unlinkWallet(link)) ?? null,
    })),
  )
  return unlinked.map((each) => {
    if (each.status === 'rejected') throw each.reason
    return each.value
  })
}
