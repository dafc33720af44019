/** Any error of a route → the refusal that the operator sees. */

import { ChainError } from '../chain-errors.ts'
import { DatabaseUnavailableError } from '../db/database.ts'
import { WebhookError } from '../webhooks/errors.ts'
import { OperatorError } from './errors.ts'

/** The refusal of any error. Messages of unknown errors are not shown: they may quote what was asked. */
export function refusalOf(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error
  if (error instanceof WebhookError) return new OperatorError(error.code, error.message)
  if (error instanceof DatabaseUnavailableError) {
    return new OperatorError(
      'SERVICE_UNAVAILABLE',
      'The database cannot be reached. Run the command again in a moment.',
    )
  }
  if (error instanceof ChainError) {
    return new OperatorError(
      'CHAIN_UNAVAILABLE',
      'The chain did not answer or did not confirm in time. See "chain status", then run the command again: it is safe to repeat.',
    )
  }
  return ofFramework(error) ?? new OperatorError('SERVER_ERROR', 'An unexpected error occurred. See the service log.')
}

function ofFramework(error: unknown): OperatorError | undefined {
  const { statusCode } = (error ?? {}) as { statusCode?: unknown }
  if (statusCode === 413) return new OperatorError('PAYLOAD_TOO_LARGE', 'The request body is larger than 64 KiB.')
  if (statusCode === 503) return new OperatorError('SERVICE_UNAVAILABLE', 'The service is stopping.')
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return undefined
  return new OperatorError(
    'BAD_REQUEST',
    'The request is not valid: send a JSON object with Content-Type application/json.',
  )
}
