/** Reads the chain as a stranger would: blocks, receipts and balances, with words and topics decoded by hand. */
import type { ChainEvidence, Movement } from './evidence.ts'

type Rpc = <T>(method: string, ...params: unknown[]) => Promise<T>

type Block = { hash: string; parentHash: string } | null

type Receipt = {
  transactionHash: string
  blockHash: string
  logs: { address: string; topics: string[]; data: string }[]
}

/** keccak256('Transfer(address,address,uint256)') and the selectors of totalSupply() and balanceOf(address). */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TOTAL_SUPPLY = '0x18160ddd'
const BALANCE_OF = '0x70a08231'
const AT_A_TIME = 16

/**
 * Every movement of the coin in canonical blocks, up to one block, and the balances at that block. Receipts are read block
 * by block: an index of logs may also hold those of blocks that a reorganisation has removed.
 * @param wallets addresses to read in addition to those that the movements name
 */
export async function readChain(rpc: Rpc, coin: string, wallets: readonly string[]): Promise<ChainEvidence> {
  const head = Number(await rpc<string>('eth_blockNumber'))
  const read: BlockRead[] = []
  for (let first = 0; first <= head; first += AT_A_TIME) {
    const blocks = Array.from({ length: Math.min(AT_A_TIME, head - first + 1) }, (_, index) => first + index)
    read.push(...(await Promise.all(blocks.map((block) => readBlock(rpc, coin, block)))))
  }
  const movements = read.flatMap((block) => block.movements)
  const at = hex(head)
  const named = new Set([...wallets, ...movements.flatMap(({ from, to }) => [from, to])])
  named.delete(`0x${'0'.repeat(40)}`)
  const balances = new Map<string, bigint>()
  for (const wallet of named) {
    const data = `${BALANCE_OF}${wallet.slice(2).padStart(64, '0')}`
    balances.set(wallet, BigInt(await rpc<string>('eth_call', { to: coin, data }, at)))
  }
  const supplyMicro = BigInt(await rpc<string>('eth_call', { to: coin, data: TOTAL_SUPPLY }, at))
  return { movements, supplyMicro, balances, breaks: breaksIn(read) }
}

type BlockRead = { block: Block; strayReceipts: number; movements: Movement[] }

async function readBlock(rpc: Rpc, coin: string, number: number): Promise<BlockRead> {
  const block = await rpc<Block>('eth_getBlockByNumber', hex(number), false)
  const receipts = (await rpc<Receipt[] | null>('eth_getBlockReceipts', hex(number))) ?? []
  const movements = receipts.flatMap(({ transactionHash: txHash, logs }) =>
    logs
      .filter(({ address, topics }) => address.toLowerCase() === coin.toLowerCase() && topics[0] === TRANSFER)
      .map(({ topics, data }) => {
        const [from, to] = [addressIn(topics[1]), addressIn(topics[2])]
        return { txHash, blockNumber: BigInt(number), from, to, amountMicro: BigInt(data) }
      }),
  )
  return { block, strayReceipts: receipts.filter(({ blockHash }) => blockHash !== block?.hash).length, movements }
}

/** Where the blocks are not one chain: then what they list says nothing about what happened. */
function breaksIn(read: readonly BlockRead[]): string[] {
  return read.flatMap(({ block, strayReceipts }, number) => {
    if (block === null) return [`there is no block ${number}`]
    const parent = read[number - 1]?.block
    return [
      ...(number > 0 && block.parentHash !== parent?.hash
        ? [`block ${number} is not on top of the one before it`]
        : []),
      ...(strayReceipts > 0 ? [`${strayReceipts} receipts of block ${number} are of another block`] : []),
    ]
  })
}

function addressIn(topic: string | undefined): string {
  return `0x${(topic ?? '').slice(-40)}`.toLowerCase()
}

function hex(block: number): string {
  return `0x${block.toString(16)}`
}
