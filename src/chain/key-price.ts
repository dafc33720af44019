/** What a call of an operator's key may offer for gas. */
import type { ChainConfig } from '../config.ts'
import { greatest, least } from '../values/bigints.ts'
import { medianOf } from './answers.ts'
import { type Fees, initialFees } from './fees.ts'
import type { AgreedHead } from './quorum.ts'
import { readGasBalance } from './reads.ts'
import type { Signer } from './signer.ts'
import { agreeOnTip } from './tip.ts'

/** `market`: of a first attempt; undefined where gas costs more than `capWei`, the most that a unit of it may cost, wei. */
export type Price = { market: Fees | undefined; capWei: bigint }

/**
 * Reads it as of a head. What stops something may cost what a stop may, because somebody may make gas dear: but no more than its key can pay beyond the
 * cap of the others, for nodes take nothing that may cost more than there is, whatever gas costs then.
 * @param call `stops` as of the action; `gas`: its limit
 * @throws NoQuorumError
 */
export async function readPrice(
  config: ChainConfig,
  { head, nodes }: AgreedHead,
  { address }: Pick<Signer, 'address'>,
  { stops, gas }: { stops: boolean | undefined; gas: bigint },
): Promise<Price> {
  const { maxFeePerGasWei, stopMaxFeePerGasWei, maxPriorityFeePerGasWei } = config
  const capOfStop = async () => {
    const payable = (await medianOf(nodes, (node) => readGasBalance(node, address))) / gas
    return greatest(maxFeePerGasWei, least(stopMaxFeePerGasWei, payable))
  }
  const [tip, capWei] = await Promise.all([agreeOnTip(nodes), stops === true ? capOfStop() : maxFeePerGasWei])
  // Whoever makes gas dear may do it by tips: as much more of one counts as a unit of gas may cost more.
  const tipCapWei = (maxPriorityFeePerGasWei * capWei) / maxFeePerGasWei
  const market = initialFees(head.baseFeePerGas, tip, { maxFeePerGasWei: capWei, maxPriorityFeePerGasWei: tipCapWei })
  return { market, capWei }
}
