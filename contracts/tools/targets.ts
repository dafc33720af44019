/** The contracts that are deployed. Compiled together, for a compilation takes long and is kept. */
import { type Artifact, compile } from './compile.ts'

/** Source path (below contracts/, or of an npm package), contract, and the name of its file in src/chain/generated. */
export const targets = [
  { source: 'contracts/src/Coin.sol', contract: 'Coin', name: 'coin' },
  { source: 'contracts/src/Settlement.sol', contract: 'Settlement', name: 'settlement' },
  { source: '@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol', contract: 'ERC1967Proxy', name: 'proxy' },
  {
    source: '@openzeppelin/contracts/governance/TimelockController.sol',
    contract: 'TimelockController',
    name: 'timelock',
  },
]

/** The artifacts of all of them, by the name of the contract. */
export function compileAll(): Record<string, Artifact> {
  return compile(Object.fromEntries(targets.map(({ source, contract }) => [source, contract])))
}
