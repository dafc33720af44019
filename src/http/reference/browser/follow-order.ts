/** Reads an order again until it has come to its end, as a partner would. */
import type { Own } from './demo.ts'

const EVERY_MS = 700
const MOST_TIMES = 60
const MOVING = /^\{"ok":true,"referenceId":"([^"]+)","status":"(?:pending|processing)"/

/**
 * @param text the answer that began it; anything but an order that moves is left alone
 * @param show called with each newer answer
 */
export async function follow(text: string, own: Own, show: (text: string) => void): Promise<void> {
  let newest = text
  for (let times = 0; times < MOST_TIMES && MOVING.test(newest); times += 1) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    const reference = MOVING.exec(newest)?.[1] ?? ''
    const answer = await fetch(`/v1/transactions/${encodeURIComponent(reference)}`, {
      headers: { authorization: `Bearer ${own.COIN_KEY}` },
    })
    const read = await answer.text()
    if (!answer.ok) return
    if (read !== newest) show(read)
    newest = read
  }
}
