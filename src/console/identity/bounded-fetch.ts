/** Asks the identity provider, and takes in only so much of what it answers. */
import type { CustomFetch } from 'openid-client'

/** Its settings, its keys and its tokens are some kilobytes each. */
const MAX_ANSWER_BYTES = 1024 * 1024

/**
 * `fetch` whose answer breaks off once it is too long. It is counted as it is read: a compressed answer may unfold to a thousand times its length, and
 * would otherwise be gathered until the time limit ends it.
 */
export const boundedFetch: CustomFetch = async (url, options) => {
  const { body, status, statusText, headers } = await fetch(url, options as RequestInit)
  return new Response(body?.pipeThrough(bounded()) ?? null, { status, statusText, headers })
}

function bounded(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.length
      if (bytes > MAX_ANSWER_BYTES) controller.error(new Error('The answer of the identity provider is too long.'))
      else controller.enqueue(piece)
    },
  })
}
