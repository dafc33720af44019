/** Bytes → text, strictly. */
import { refuse } from './refusal.ts'

/** @throws a refusal, `malformed`, when the bytes are not UTF-8. A byte order mark is dropped */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return refuse('malformed', 'The file is not valid UTF-8.')
  }
}
