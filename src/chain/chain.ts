/** A configured chain with everything that reads it, writes to it and administers it. */
import type { Logger } from 'pino'
import type { ChainConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { type ChainAdmin, createAdmin } from './admin.ts'
import { connectNode, type RpcNode } from './node.ts'
import { type ChainReader, createReader } from './reader.ts'
import { ofChain } from './right-chain.ts'
import { createSigner, type Signer } from './signer.ts'

export type Chain = {
  config: ChainConfig
  reader: ChainReader
  admin: ChainAdmin
  /** One per RPC address, asked separately, and only while it is of this chain. */
  nodes: readonly RpcNode[]
  /** Keys that may call `settle`. */
  signers: readonly Signer[]
}

/** A chain as far as its nodes are asked. */
export type AskedChain = Pick<Chain, 'config' | 'nodes'>

/**
 * Connects a configured chain. No request is made yet.
 * @param deps.db serialises operator actions of one key across all processes
 */
export function connectChain(config: ChainConfig, deps: { db: Database; logger: Logger }): Chain {
  const nodes = config.rpcUrls.map((url) => ofChain(connectNode(url), config.chainId, deps.logger))
  const signers = config.signers.map(createSigner)
  return {
    config,
    nodes,
    signers,
    reader: createReader(config, nodes),
    admin: createAdmin({ config, nodes, signers, db: deps.db, logger: deps.logger }),
  }
}
