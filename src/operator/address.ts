/** EVM addresses in operators' requests. */
import { parseAddress } from '../orders/address.ts'
import { OperatorError } from './errors.ts'

/** The address in EIP-55 form. @throws OperatorError BAD_REQUEST for anything else, a wrong checksum included */
export function parseWalletAddress(value: string): string {
  const address = parseAddress(value, 'optional')
  if (address !== undefined) return address
  throw new OperatorError(
    'BAD_REQUEST',
    `"${value.slice(0, 60)}" is not a wallet address: give 0x and 40 hexadecimal digits that are not all zero, with a correct checksum if the case is mixed.`,
  )
}
