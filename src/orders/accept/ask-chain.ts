/** What a decision asks the chain. */
import { ChainUnreadableError } from '../../chain-errors.ts'
import type { WalletReader } from '../ports.ts'
import type { ChainAnswers, ChainQuestions } from './facts.ts'

/**
 * Asks the chain everything at once, outside any transaction. What cannot be read is undefined and never passes a
 * check.
 */
export async function askChain(wallets: WalletReader, questions: ChainQuestions): Promise<ChainAnswers> {
  const { chainId, debit, recipientAddress: recipient } = questions
  const [ofDebit, recipientFrozen, recipientSanctioned] = await Promise.all([
    debit === undefined ? NOT_ASKED : askAboutDebit(wallets, chainId, debit),
    // Coin that is minted to a frozen wallet fails at settlement.
    recipient === undefined || debit === undefined ? undefined : orUndefined(wallets.isFrozen(chainId, recipient)),
    recipient === undefined ? undefined : orUndefined(wallets.isSanctioned(chainId, recipient)),
  ])
  return { ...ofDebit, recipientFrozen, recipientSanctioned }
}

const NOT_ASKED = {
  debitLinked: undefined,
  debitFrozen: undefined,
  debitSanctioned: undefined,
  balanceMicro: undefined,
}

async function askAboutDebit(
  wallets: WalletReader,
  chainId: number,
  { address, owner, blockNumber }: NonNullable<ChainQuestions['debit']>,
) {
  const [debitLinked, debitFrozen, debitSanctioned, balanceMicro] = await Promise.all([
    orUndefined(wallets.isLinked(chainId, address, owner)),
    orUndefined(wallets.isFrozen(chainId, address)),
    orUndefined(wallets.isSanctioned(chainId, address)),
    orUndefined(wallets.balanceAt(chainId, address, blockNumber)),
  ])
  return { debitLinked, debitFrozen, debitSanctioned, balanceMicro }
}

async function orUndefined<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (error instanceof ChainUnreadableError) return undefined
    throw error
  }
}
