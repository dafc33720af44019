/** An order that is about to be recorded, and whether one that is recorded already is the same. */
import type { NewOrder, Order } from '../order.ts'
import type { Terms } from './checks.ts'
import type { OrderRequest } from './request.ts'

/** What a decision adds to the request. */
type Details = Pick<NewOrder, 'direction' | 'customerId' | 'debitAddress' | 'feeMicro' | 'bankReference'>

/** A new order in state `pending`: accepted for settlement. */
export function newOrder(
  request: OrderRequest,
  details: Details,
  { caller }: Pick<Terms, 'caller'>,
  now: Date,
): NewOrder {
  return {
    integrationId: caller.integrationId,
    referenceId: request.referenceId,
    direction: details.direction,
    status: 'pending',
    chainId: request.chain.chainId,
    network: request.chain.network,
    tokenAddress: request.chain.tokenAddress,
    walletAddress: request.walletAddress,
    debitAddress: details.debitAddress,
    customerId: details.customerId,
    keyId: caller.keyId,
    amountMicro: request.amountMicro,
    feeMicro: details.feeMicro,
    bankReference: details.bankReference,
    batchId: null,
    batchIndex: null,
    batchStatus: null,
    txHash: null,
    blockNumber: null,
    failureReason: null,
    createdAt: now,
    updatedAt: null,
  }
}

/** Whether an existing order has exactly the details that are requested now. */
export function recordsSameDetails(order: Order, request: OrderRequest): boolean {
  return (
    order.amountMicro === request.amountMicro &&
    order.walletAddress === request.walletAddress &&
    order.customerId === request.customerId &&
    order.chainId === (request.unconfigured ?? request.chain).chainId
  )
}
