/** Waits for one-off transactions, such as those of a deployment. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex, PublicClient, TransactionReceipt } from 'viem'

/** How long a transaction may take to be mined. */
const TIMEOUT_MS = 180_000

/**
 * The receipt of a transaction once it is mined. It is asked for again and again, each `client.pollingInterval`, instead of when a block comes as
 * viem's own wait does: a chain that makes blocks only for transactions makes no other, and a node may know a block before its receipts.
 *
 * @throws the last error of the node after three minutes; viem's TransactionReceiptNotFoundError when it was not mined
 */
export async function receiptOf(client: PublicClient, hash: Hex): Promise<TransactionReceipt> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash })
    } catch (error) {
      if (performance.now() >= deadline) throw error
    }
    await sleep(client.pollingInterval)
  }
}
