/** Reads the bytes of a request, up to a limit, whatever they are said to be. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { onTooManyPieces } from '../http-server/chunks.ts'

export const MAX_BODY_BYTES = 64 * 1024

/** The bytes of a body, or the word that there were too many. */
export type ReadBody = Buffer | 'too large'

const JSON_CONTENT_TYPE = /^application\/json[\t ]*(?:;|$)/i

/** Whether a body is said to be JSON. */
export function isSaidToBeJson({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return JSON_CONTENT_TYPE.test(type)
}

/**
 * Has any body read. What is no media type Fastify refuses before it has read anything: before the size is judged, and also where there is no
 * body to be anything.
 */
export function admitAnyType(headers: IncomingHttpHeaders): void {
  if (headers['content-type'] !== undefined && !isSaidToBeJson(headers))
    headers['content-type'] = 'application/octet-stream'
}

/**
 * Reads a body of at most `MAX_BODY_BYTES`. A longer one is refused at the first byte too many, or at once for the
 * length it declares; the rest is thrown away as it arrives, until the server's request timeout ends it. One in too many
 * pieces (`boundChunks`) is too large as well.
 * @param contentLength the header's value, if any
 * @throws the stream's error when the client goes away
 */
export function readBody(stream: Readable, contentLength: string | undefined): Promise<ReadBody> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const finish = (result: ReadBody): void => {
      stream.removeListener('data', onData).removeListener('end', onEnd)
      resolve(result)
    }
    const throwRestAway = (): void => {
      finish('too large')
      stream.resume()
    }
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (length > MAX_BODY_BYTES) throwRestAway()
      else chunks.push(chunk)
    }
    const onEnd = (): void => finish(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
    // This listener stays until the stream is gone, or a client that leaves while the rest is thrown away would be an
    // uncaught error.
    stream.on('error', reject)
    if (Number(contentLength) > MAX_BODY_BYTES) {
      throwRestAway()
      return
    }
    stream.on('data', onData).on('end', onEnd)
    // Of such a one nothing further is read.
    onTooManyPieces(stream, () => finish('too large'))
  })
}
