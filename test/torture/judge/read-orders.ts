/** Reads every order of an integration through the partner API, page by page. */
import type { Direction, ListedOrder } from './evidence.ts'

type Page = { transactions: Order[]; nextCursor: string | null }
type Order = {
  referenceId: string
  status: string
  phase: string
  direction: Direction
  walletAddress: string
  amounts: { amountRaw: string }
  blockchain: { txHash: string | null; blockNumber: string | null }
  timestamps: { createdAt: string }
}

export async function readOrders(
  origin: string,
  { integrationId, secret }: { integrationId: string; secret: string },
): Promise<ListedOrder[]> {
  const orders: ListedOrder[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? 'limit=100' : `limit=100&cursor=${encodeURIComponent(cursor)}`
    const response = await fetch(`${origin}/v1/transactions?${query}`, {
      headers: { authorization: `Bearer ${secret}` },
      signal: AbortSignal.timeout(15_000),
    })
    if (!response.ok) throw new Error(`the list was answered ${response.status}: ${await response.text()}`)
    const page = (await response.json()) as Page
    orders.push(...page.transactions.map((order) => listed(integrationId, order)))
    cursor = page.nextCursor
  }
  return orders
}

function listed(integrationId: string, order: Order): ListedOrder {
  const { referenceId: reference, direction, status, phase, walletAddress, amounts, blockchain, timestamps } = order
  const { txHash, blockNumber } = blockchain
  return {
    integrationId,
    reference,
    direction,
    status,
    phase,
    wallet: walletAddress.toLowerCase(),
    amountMicro: BigInt(amounts.amountRaw),
    txHash,
    blockNumber: blockNumber === null ? null : BigInt(blockNumber),
    createdAt: timestamps.createdAt,
  }
}
