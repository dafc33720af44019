/**
 * The name of a notification channel, safe to stand in a statement, where it cannot be a parameter.
 * @throws TypeError when it is not a plain lower-case word
 */
export function channelName(channel: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(channel)) throw new TypeError(`Not a channel name: ${channel}`)
  return channel
}
