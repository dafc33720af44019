/** Any error → the envelope. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { DatabaseUnavailableError } from '../db/database.ts'
import { ApiError, ERRORS } from '../errors.ts'
import { errorBody, JSON_TYPE } from './envelope.ts'

/**
 * The error handler of the app: a refusal answers its code, a database that is away answers 503, and anything else is
 * our mistake.
 */
export function createErrorHandler(logger: Logger) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = refusalOf(error, request) ?? unexpected(error, request, logger)
    if (refusal.code === 'SERVICE_UNAVAILABLE') {
      logger.warn({ err: refusal.cause ?? error, correlationId: request.id }, 'a request could not be served for now')
    }
    // The constant challenge: it says nothing about what was wrong with the key (RFC 6750 3.1 would allow more).
    if (refusal.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer')
    reply
      .code(ERRORS[refusal.code].status)
      .header('content-type', JSON_TYPE)
      .send(errorBody(refusal.code, refusal.meta, refusal.message))
  }
}

function refusalOf(error: unknown, request: FastifyRequest): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error instanceof DatabaseUnavailableError) return new ApiError('SERVICE_UNAVAILABLE', undefined, { cause: error })
  // The client went away while sending its body: nobody will read this answer.
  if (request.raw.destroyed && !request.raw.complete) return new ApiError('BAD_REQUEST')
  return undefined
}

function unexpected(error: unknown, request: FastifyRequest, logger: Logger): ApiError {
  logger.error({ err: error, correlationId: request.id }, 'unexpected error')
  return new ApiError('SERVER_ERROR', { correlationId: request.id })
}
