/** Any error of a route → the refusal that the operator sees. */

import { INCOMING_BOUNDS } from '../bank-files/folder/incoming.ts'
import { KeyMissingError } from '../chain/admin.ts'
import {
  KeyActionLateError,
  KeyActionRefusedError,
  KeyActionUnpaidError,
  KeyUnsignedError,
} from '../chain/key-action-errors.ts'
import { ChainError } from '../chain-errors.ts'
import { DatabaseUnavailableError, StatementCancelledError, violatedConstraint } from '../db/database.ts'
import { WebhookError } from '../webhooks/errors.ts'
import { OperatorError } from './errors.ts'

/** The refusal of any error. Messages of unknown errors are not shown: they may quote what was asked. */
export function refusalOf(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error
  if (error instanceof WebhookError) return new OperatorError(error.code, error.message)
  if (error instanceof StatementCancelledError) {
    return new OperatorError(
      'SERVICE_UNAVAILABLE',
      'The database answers, but took too long: something may have locked what this needs. Run the command again in a moment; if it says the same, see the service log and the runbook "The database is away".',
    )
  }
  if (error instanceof DatabaseUnavailableError) {
    return new OperatorError(
      'SERVICE_UNAVAILABLE',
      'The database cannot be reached, or accepts no work now. Run the command again in a moment; the service log says why.',
    )
  }
  if (violatedConstraint(error) === 'customers_external_id') {
    return new OperatorError(
      'CONFLICT',
      'Another customer of this integration has that external id: see "coin customer find ID".',
    )
  }
  if (error instanceof KeyMissingError) {
    return new OperatorError(
      'CONFLICT',
      `This process has no ${error.keyName} key for chain ${error.chainId}: add "${error.keyName}" to that chain in its chains file, or run the command where it is.`,
    )
  }
  if (error instanceof KeyActionRefusedError) return new OperatorError('CONFLICT', sentenceOf(error.reason))
  if (error instanceof KeyActionUnpaidError) {
    return new OperatorError(
      'CONFLICT',
      `The key ${error.address} has too little gas money (${error.balanceWei} wei): send it some, or use another key.`,
    )
  }
  if (error instanceof KeyActionLateError) return new OperatorError('CHAIN_UNAVAILABLE', `${error.message}.`)
  if (error instanceof KeyUnsignedError) {
    const sentence = `${error.message}. See that the signer runs and holds that key, then run the command again: it is safe to repeat.`
    return new OperatorError('CHAIN_UNAVAILABLE', `T${sentence.slice(1)}`)
  }
  if (error instanceof ChainError) {
    return new OperatorError(
      'CHAIN_UNAVAILABLE',
      'The chain did not answer or did not confirm in time. See "coin chain status", then run the command again: it is safe to repeat.',
    )
  }
  return ofFramework(error) ?? new OperatorError('SERVER_ERROR', 'An unexpected error occurred. See the service log.')
}

const REFUSED_BY_CONTRACT: Readonly<Record<string, string>> = {
  InvalidConsent:
    'The consent is not a signature of the holder that is valid now for this wallet and customer: make a new one with "coin wallet consent --customer ID --address ADDRESS", and have the holder sign it.',
  ConsentExpired:
    'The deadline of the consent has passed: make a new one with "coin wallet consent --customer ID --address ADDRESS".',
  TooMuchGas:
    'It would use more than 1,000,000 gas, and nothing is sent: the wallet is a contract whose code uses up so much, or an RPC address lies.',
  AccessControlUnauthorizedAccount:
    'The key does not hold its role on the contract: either the admin has to grant it, or the chains file names the wrong key.',
}

/** @param reason the contract's error */
function sentenceOf(reason: string): string {
  return REFUSED_BY_CONTRACT[reason] ?? `The contract refuses this: ${reason}. See contracts/README.md.`
}

function ofFramework(error: unknown): OperatorError | undefined {
  const { statusCode } = (error ?? {}) as { statusCode?: unknown }
  if (statusCode === 413) {
    return new OperatorError(
      'PAYLOAD_TOO_LARGE',
      `The request is too large: a command has at most 64 KiB, a bank file ${INCOMING_BOUNDS.maxBytes / 2 ** 20} MiB.`,
    )
  }
  if (statusCode === 503) return new OperatorError('SERVICE_UNAVAILABLE', 'The service is stopping.')
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return undefined
  return new OperatorError(
    'BAD_REQUEST',
    'The request is not valid: send a JSON object with Content-Type application/json.',
  )
}
