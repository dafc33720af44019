/** Why a call of an operator's key has not taken effect. */
import type { Address } from 'viem'
import { ChainError } from '../chain-errors.ts'

/**
 * The action did not reach full depth in time. It may still do so; running it again is safe and shows whether it has.
 */
export class KeyActionLateError extends ChainError {
  override readonly name = 'KeyActionLateError'
}

/** The time of an action is over. @param threats whose transactions wait that may undo it, where it is so */
export function tooLate({ name }: { name: string }, threats: readonly Address[]): KeyActionLateError {
  const isSo = `it is so, but a transaction of ${threats.join(', ')} waits in the pool and may undo it`
  return new KeyActionLateError(
    `${name}: ${threats.length > 0 ? isSo : 'not at full depth yet'}; run it again to see it through`,
  )
}

/** Gas costs more than the action may offer. */
export function tooDear(
  { name, stops }: { name: string; stops?: boolean },
  { address }: { address: Address },
): KeyActionLateError {
  const most = `the configured maximum${stops === true ? `, or than ${address} can pay` : ''}`
  return new KeyActionLateError(`${name}: gas costs more than ${most}`)
}

/** The contracts refuse the call. `reason` is the name of their error. Nothing was sent. */
export class KeyActionRefusedError extends ChainError {
  override readonly name = 'KeyActionRefusedError'
  readonly reason: string

  constructor(action: string, reason: string) {
    super(`${action}: refused by the contract: ${reason}`)
    this.reason = reason
  }
}

/** The key cannot pay for the call. Nothing was sent. */
export class KeyActionUnpaidError extends ChainError {
  override readonly name = 'KeyActionUnpaidError'
  readonly address: Address
  readonly balanceWei: bigint

  constructor(action: string, address: Address, balanceWei: bigint) {
    super(`${action}: the key ${address} has only ${balanceWei} wei`)
    this.address = address
    this.balanceWei = balanceWei
  }
}

/** The key's signer did not sign, or signed something else than it was asked to. Nothing was sent under that signature. */
export class KeyUnsignedError extends ChainError {
  override readonly name = 'KeyUnsignedError'

  constructor(address: Address, why: string) {
    super(`the signer of ${address} does not sign: ${why}`)
  }
}
