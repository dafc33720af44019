/** What the API does under as much load as it takes, and how long its answers take at half of that. */
import { metered } from './cpu.ts'
import { applyLoad, type LoadJob } from './load.ts'
import type { Api, Bench } from './service.ts'

export type ApiLoad = {
  perSecond: number
  /** How long answers take under full load, and at half the rate; and how long constants take at that. */
  times: { p50Ms: number; p99Ms: number; halfP50Ms: number; halfP99Ms: number; constantP99Ms: number }
  /** Processor time of each request, by process. */
  apiUs: number
  postgresUs: number
}

/**
 * Runs a job twice, without and with a rate.
 * @param job.constantPort where the same requests get a constant
 * @throws Error when any answer has another status than `status`
 */
export async function loadApi(
  bench: Bench,
  api: Api,
  { constantPort, ...job }: LoadJob & { constantPort: number },
  status: number,
): Promise<ApiLoad> {
  const { result, cpuUs } = await metered({ api: api.cpuUs, postgres: bench.postgresCpuUs }, () =>
    applyLoad(job, status),
  )
  const rate = result.perSecond / 2
  const constants = await applyLoad({ ...job, port: constantPort, rate }, status)
  const half = await applyLoad({ ...job, rate }, status)
  return {
    perSecond: result.perSecond,
    times: {
      p50Ms: result.p50Ms,
      p99Ms: result.p99Ms,
      halfP50Ms: half.p50Ms,
      halfP99Ms: half.p99Ms,
      constantP99Ms: constants.p99Ms,
    },
    apiUs: cpuUs.api / result.answered,
    postgresUs: cpuUs.postgres / result.answered,
  }
}
