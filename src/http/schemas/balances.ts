/** Balances of a wallet (contract "Balance entry"). */
import Type from 'typebox'
import {
  address,
  ChainId,
  Decimals,
  decimal,
  EXAMPLE_COIN_ADDRESS,
  EXAMPLE_WALLET,
  integerText,
  Network,
  Ok,
} from './values.ts'

export const Balances = Type.Object({
  ok: Ok,
  walletAddress: address('The wallet asked about.'),
  balances: Type.Array(
    Type.Object({
      chainId: ChainId,
      network: Network,
      tokenAddress: address('Contract of the coin.'),
      symbol: Type.String({ description: "The coin's symbol." }),
      decimals: Decimals,
      balanceRaw: integerText('Balance x 10^decimals.'),
      balance: decimal('Balance.'),
    }),
    { description: 'One entry per configured chain, or the one that was asked for.' },
  ),
})

export const EXAMPLE_BALANCES = {
  ok: true,
  walletAddress: EXAMPLE_WALLET,
  balances: [
    {
      chainId: 84532,
      network: 'Base Sepolia',
      tokenAddress: EXAMPLE_COIN_ADDRESS,
      symbol: 'COIN',
      decimals: 6,
      balanceRaw: '1000500000',
      balance: '1000.5',
    },
  ],
}
