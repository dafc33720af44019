/** The text of an answer, up to a bound. */

/** A page of 100 orders is a twentieth of this. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024

/**
 * Reads a body as UTF-8.
 * @returns undefined for one of more than `MAX_BODY_BYTES`, which is none of the API's
 * @throws the connection's own error
 */
export async function readText(response: Response): Promise<string | undefined> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > MAX_BODY_BYTES) {
      await reader.cancel().catch(() => undefined)
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
