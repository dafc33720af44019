/** Reads the chain as a stranger would: blocks, receipts and balances, with words and topics decoded by hand. */
import type { ChainEvidence, Movement } from './evidence.ts'

type Rpc = <T>(method: string, ...params: unknown[]) => Promise<T>

type Receipt = { transactionHash: string; logs: { address: string; topics: string[]; data: string }[] }

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
  const movements: Movement[] = []
  for (let first = 0; first <= head; first += AT_A_TIME) {
    const blocks = Array.from({ length: Math.min(AT_A_TIME, head - first + 1) }, (_, index) => first + index)
    const read = await Promise.all(blocks.map((block) => readMovements(rpc, coin, block)))
    movements.push(...read.flat())
  }
  const at = hex(head)
  const named = new Set([...wallets, ...movements.flatMap(({ from, to }) => [from, to])])
  named.delete(`0x${'0'.repeat(40)}`)
  const balances = new Map<string, bigint>()
  for (const wallet of named) {
    const data = `${BALANCE_OF}${wallet.slice(2).padStart(64, '0')}`
    balances.set(wallet, BigInt(await rpc<string>('eth_call', { to: coin, data }, at)))
  }
  const supplyMicro = BigInt(await rpc<string>('eth_call', { to: coin, data: TOTAL_SUPPLY }, at))
  return { movements, supplyMicro, balances }
}

async function readMovements(rpc: Rpc, coin: string, block: number): Promise<Movement[]> {
  const receipts = await rpc<Receipt[] | null>('eth_getBlockReceipts', hex(block))
  return (receipts ?? []).flatMap(({ transactionHash: txHash, logs }) =>
    logs
      .filter(({ address, topics }) => address.toLowerCase() === coin.toLowerCase() && topics[0] === TRANSFER)
      .map(({ topics, data }) => {
        const [from, to] = [addressIn(topics[1]), addressIn(topics[2])]
        return { txHash, blockNumber: BigInt(block), from, to, amountMicro: BigInt(data) }
      }),
  )
}

function addressIn(topic: string | undefined): string {
  return `0x${(topic ?? '').slice(-40)}`.toLowerCase()
}

function hex(block: number): string {
  return `0x${block.toString(16)}`
}
