/** Sends the transactions of one-off work, such as a deployment, and waits until they are mined. */
import {
  type Address,
  BaseError,
  type Chain,
  createWalletClient,
  type Hex,
  HttpRequestError,
  http,
  keccak256,
  type LocalAccount,
  type PublicClient,
  TimeoutError,
  type TransactionReceipt,
} from 'viem'
import { receiptOf } from './receipt.ts'

/** A transaction to send; without `to` it creates a contract. */
export type Call = { to?: Address; data: Hex }

/** Sends calls in their order under consecutive nonces and resolves when all are mined; throws when one reverted. */
export type SendCalls = (...calls: Call[]) => Promise<TransactionReceipt[]>

/** How often the bytes of a transaction are sent while no answer comes. */
const BROADCASTS = 5

/**
 * Makes a sender for one-off work such as a deployment. Not for settlement: nothing is stored before it is sent, so what a
 * process that ends had sent is for people to find out.
 *
 * @param client reads of the chain
 * @throws (the sender) Error when a call would revert, a broadcast fails, or a receipt is late or says "reverted"
 */
export function createCallSender(options: {
  client: PublicClient
  chain: Chain
  rpcUrl: string
  account: LocalAccount
}): SendCalls {
  const { client, chain, rpcUrl, account } = options
  const wallet = createWalletClient({ chain, account, transport: http(rpcUrl, { retryCount: 0 }) })

  /** Signs once: the same bytes can be sent again and count once, where an answer that is lost leaves open whether they arrived. */
  async function send(call: Call, nonce: number): Promise<Hex> {
    const request = await client.prepareTransactionRequest({ ...call, account, chain, nonce })
    const serializedTransaction = await wallet.signTransaction(request)
    const hash = keccak256(serializedTransaction)
    for (let broadcasts = 1; ; broadcasts += 1) {
      try {
        return await wallet.sendRawTransaction({ serializedTransaction })
      } catch (error) {
        if (await isKnown(client, hash)) return hash
        if (broadcasts === BROADCASTS || !isWithoutAnswer(error)) throw error
      }
    }
  }

  return async (...calls) => {
    const firstNonce = await client.getTransactionCount({ address: account.address, blockTag: 'pending' })
    const hashes: Hex[] = []
    for (const [index, call] of calls.entries()) hashes.push(await send(call, firstNonce + index))
    const receipts = await Promise.all(hashes.map((hash) => receiptOf(client, hash)))
    const reverted = receipts.find(({ status }) => status !== 'success')
    if (reverted) throw new Error(`transaction ${reverted.transactionHash} reverted`)
    return receipts
  }
}

async function isKnown(client: PublicClient, hash: Hex): Promise<boolean> {
  return await client.getTransaction({ hash }).then(
    () => true,
    () => false,
  )
}

function isWithoutAnswer(error: unknown): boolean {
  const isLost = (one: unknown) => one instanceof TimeoutError || one instanceof HttpRequestError
  return error instanceof BaseError && error.walk(isLost) !== null
}
