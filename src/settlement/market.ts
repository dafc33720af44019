/** The price of gas and the room within the on-chain limits, read once per head. */
import { answersOf, lowerMedian, type NodeAnswer, valuesOf } from '../chain/answers.ts'
import { initialFees } from '../chain/fees.ts'
import { BUCKET_NAMES, type BucketName, ofEachBucket } from '../chain/instructions.ts'
import type { AgreedHead } from '../chain/quorum.ts'
import { type Bucket, type Buckets, readBuckets } from '../chain/settlement-reads.ts'
import { agreeOnTip } from '../chain/tip.ts'
import type { Market } from './memory.ts'
import type { Work } from './work.ts'

/** Reads fees and limits of the agreed head: of what the nodes say, the middle. */
export async function readMarket({ chain, memory }: Work, at: AgreedHead): Promise<Market> {
  if (memory.market?.headHash === at.head.hash) return memory.market
  const [tip, buckets] = await Promise.all([
    agreeOnTip(at.nodes),
    answersOf(at.nodes, (node) => readBuckets(node, chain.config.settlement), areAlike).then(valuesOf),
  ])
  const fees = initialFees(at.head.baseFeePerGas, tip, chain.config)
  memory.market = { headHash: at.head.hash, fees, buckets: medianBuckets(buckets) }
  return memory.market
}

/** Two nodes that see different limits: only a third can tell. Buckets refill, so what is available differs by a little. */
function areAlike(answers: readonly NodeAnswer<Buckets>[]): boolean {
  const seen = answers.flatMap((answer) => ('value' in answer ? [answer.value] : []))
  const isAlike = (one: Bucket, other: Bucket) =>
    one.capacityMicro === other.capacityMicro && one.availableMicro <= 2n * other.availableMicro
  return (
    seen.length > 2 ||
    seen.every((one) => seen.every((other) => BUCKET_NAMES.every((name) => isAlike(one[name], other[name]))))
  )
}

function medianBuckets([first, ...more]: [Buckets, ...Buckets[]]): Buckets {
  const median = (name: BucketName, field: keyof Bucket) =>
    lowerMedian([first[name][field], ...more.map((each) => each[name][field])])
  return ofEachBucket((name) => ({
    availableMicro: median(name, 'availableMicro'),
    capacityMicro: median(name, 'capacityMicro'),
  }))
}

/** The next decision asks the nodes again, although the head is the same. */
export function forgetMarket({ memory }: Work): void {
  memory.market = undefined
}
