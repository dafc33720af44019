import {
  type Address,
  type Chain,
  createWalletClient,
  type Hex,
  http,
  type LocalAccount,
  type PublicClient,
  type TransactionReceipt,
} from 'viem'

/** A transaction to send; without `to` it creates a contract. */
export type Call = { to?: Address; data: Hex }

/** Sends calls in their order under consecutive nonces and resolves when all are mined; throws when one reverted. */
export type SendCalls = (...calls: Call[]) => Promise<TransactionReceipt[]>

/**
 * Makes a sender for one-off work such as a deployment. Not for settlement: nothing is stored before it is sent, so a
 * broadcast whose answer is lost is an error to investigate and is never sent again (retries are off).
 *
 * @param client reads of the chain
 * @param receiptTimeoutMs how long each transaction may take to be mined
 * @throws (the sender) Error when a call would revert, a broadcast fails, or a receipt is late or says "reverted"
 */
export function createCallSender(options: {
  client: PublicClient
  chain: Chain
  rpcUrl: string
  account: LocalAccount
  receiptTimeoutMs: number
}): SendCalls {
  const { client, chain, rpcUrl, account, receiptTimeoutMs } = options
  const wallet = createWalletClient({ chain, account, transport: http(rpcUrl, { retryCount: 0 }) })

  return async (...calls) => {
    const firstNonce = await client.getTransactionCount({ address: account.address, blockTag: 'pending' })
    const hashes: Hex[] = []
    for (const [index, call] of calls.entries()) {
      hashes.push(await wallet.sendTransaction({ ...call, nonce: firstNonce + index }))
    }
    const receipts = await Promise.all(
      hashes.map((hash) => client.waitForTransactionReceipt({ hash, timeout: receiptTimeoutMs })),
    )
    const reverted = receipts.find(({ status }) => status !== 'success')
    if (reverted) throw new Error(`transaction ${reverted.transactionHash} reverted`)
    return receipts
  }
}
