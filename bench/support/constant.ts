/** The reference of what the API does: a process with the same Fastify that answers one constant text. */
import path from 'node:path'
import { startGuarded } from '../../test/support/guarded-process.ts'
import { waitFor } from '../../test/support/wait-for.ts'

export type ConstantServer = { port: number; pid: number; end(): Promise<void> }

/** @param text what every request is answered: a GET of an order with 200, a POST of a mint with 201 */
export async function startConstant(text: string): Promise<ConstantServer> {
  const server = await startGuarded(process.execPath, [path.join(import.meta.dirname, 'constant-server.ts'), text])
  const port = Number(await waitFor('the constant server to listen', () => /port (\d+)/.exec(server.output())?.[1]))
  return {
    port,
    pid: server.pid,
    async end() {
      await server.end('SIGTERM')
    },
  }
}
