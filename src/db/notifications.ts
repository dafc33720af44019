/** What both engines do alike with notifications. */
import type { DatabaseLogger } from './database.ts'

/**
 * The name of a channel, safe to stand in a statement, where it cannot be a parameter.
 * @throws TypeError when it is not a plain lower-case word
 */
export function channelName(channel: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(channel)) throw new TypeError(`Not a channel name: ${channel}`)
  return channel
}

/** Tells a listener. One that fails keeps nobody else from being told. */
export function tellListener(
  onNotify: (payload: string) => void,
  payload: string,
  logger: DatabaseLogger | undefined,
): void {
  try {
    onNotify(payload)
  } catch (error) {
    logger?.warn({ err: error }, 'a listener for notifications failed')
  }
}
