/** How many requests of the sandbox are carried out at the same time: each may wait for the chain for most of a minute. */
import { ApiError } from '../../errors.ts'

/** In this process; of them, for one integration. */
const MOST = { inAll: 32, each: 8 } as const

export type AtOnce = <T>(integrationId: string, work: () => Promise<T>) => Promise<T>

/**
 * Makes a bound that routes share.
 * @throws ApiError SERVICE_UNAVAILABLE, from that function, for a request that is one too many: sent again later it is carried out
 */
export function createAtOnce(most: { inAll: number; each: number } = MOST): AtOnce {
  const running = new Map<string, number>()
  let inAll = 0
  const move = (integrationId: string, by: 1 | -1) => {
    inAll += by
    const now = (running.get(integrationId) ?? 0) + by
    if (now === 0) running.delete(integrationId)
    else running.set(integrationId, now)
  }
  return async (integrationId, work) => {
    if (inAll >= most.inAll || (running.get(integrationId) ?? 0) >= most.each) throw new ApiError('SERVICE_UNAVAILABLE')
    move(integrationId, 1)
    try {
      return await work()
    } finally {
      move(integrationId, -1)
    }
  }
}
