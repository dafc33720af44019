/** Why a batch, or an instruction in it, cannot be explained so: a sentence for each refusal. */
import type { ExplainRefusal } from '../../settlement/explain/explain.ts'
import { notFound, OperatorError } from '../errors.ts'
import { withBatch } from '../orders/commands-in.ts'

type Key = { chainId: number; batchId: bigint }

/** No such batch is known here. */
export function noBatch({ chainId, batchId }: Key): OperatorError {
  return notFound('batch', `${batchId} of chain ${chainId}`, 'batch list')
}

/** Why nothing can be said of the batch, or of the order that `order` names, and what can be done. */
export function refusalFor(result: ExplainRefusal, key: Key, order: string | null): OperatorError {
  if (result.refused === 'no_batch') return noBatch(key)
  if (result.refused === 'orders_wait')
    return new OperatorError(
      'CONFLICT',
      `Orders wait because of this batch: ${result.orders.join(', ')}. Decide about each first: "coin batch explain ${key.chainId} ${key.batchId} --not-order ORDER --reason …" or "coin order reject ORDER --reason …".`,
    )
  if (result.refused === 'minting')
    return new OperatorError(
      'CONFLICT',
      `Orders of this batch are being minted again: ${result.orders.join(', ')}. Wait until that has ended, or reject those of them that are held: see "coin order show ORDER".`,
    )
  return new OperatorError('CONFLICT', withBatch(SENTENCES[result.refused](order ?? ''), key))
}

const SENTENCES: Readonly<
  Record<Exclude<ExplainRefusal['refused'], 'no_batch' | 'orders_wait' | 'minting'>, (order: string) => string>
> = {
  own_batch: () =>
    'The chain has the batch, or no other instructions under its id in a final block: there is nothing to explain, nor to give up.',
  not_as_seen: () =>
    'The nodes do not say of this batch, in a final block, what the settler has seen: see "coin batch show CHAIN ID", and try again in a minute.',
  lost_since: () =>
    'The chain has executed it again with another outcome, and does not have it now: wait until it has it once more; or, once it is lost for good, give it up with "coin batch explain CHAIN ID --give-up --reason …".',
  not_first: () =>
    'The batch before it is not that of the chain either: explain the first one that is not, which the log of the settler names.',
  not_final: () =>
    'The chain has lost the batch, but the block in which it was is not final yet on the chain that has remained: ask again once it is.',
  signed_again: () =>
    'The chain has lost the batch, and the settler signs it again: everything in it is the outcome of an order. Wait for that.',
  explained_already: () => 'The batch was explained before: see "coin batch show CHAIN ID".',
  not_in_conflict: (order) => `${order} does not wait because of its tag: see "coin order show ${order}".`,
  none_chosen: (order) =>
    `No instruction of this batch is left that could be that of ${order}: see "coin batch show CHAIN ID".`,
  minted_back: (order) =>
    `It minted the coin of a payout back, which would be minted back once more: run "coin order make-good ${order} --reason …".`,
  would_settle_twice: (order) =>
    `Coin was moved under the reference of ${order}, and as far as can be known for it: released, it would settle twice. Reject it with "coin order reject ${order} --reason …", and let the partner use another reference.`,
}
