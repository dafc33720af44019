import { ChainUnreadableError } from '../../chain-errors.ts'
import type { WalletReader } from '../ports.ts'
import type { ChainAnswers, ChainQuestions } from './facts.ts'

/**
 * Asks the chain everything at once, outside any transaction. What cannot be read is undefined and never passes a
 * check.
 */
export async function askChain(wallets: WalletReader, questions: ChainQuestions): Promise<ChainAnswers> {
  const { chainId, debitAddress, owner, blockNumber, recipientAddress: recipient } = questions
  const [debitLinked, debitFrozen, debitSanctioned, balanceMicro, recipientFrozen, recipientSanctioned] =
    await Promise.all([
      orUndefined(wallets.isLinked(chainId, debitAddress, owner)),
      orUndefined(wallets.isFrozen(chainId, debitAddress)),
      orUndefined(wallets.isSanctioned(chainId, debitAddress)),
      orUndefined(wallets.balanceAt(chainId, debitAddress, blockNumber)),
      recipient === undefined ? undefined : orUndefined(wallets.isFrozen(chainId, recipient)),
      recipient === undefined ? undefined : orUndefined(wallets.isSanctioned(chainId, recipient)),
    ])
  return { debitLinked, debitFrozen, debitSanctioned, balanceMicro, recipientFrozen, recipientSanctioned }
}

async function orUndefined<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (error instanceof ChainUnreadableError) return undefined
    throw error
  }
}
