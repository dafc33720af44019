/** coin batch … */
import type { Command } from 'commander'
import { get, pathOf, post } from './client.ts'
import { add, field, fields, paged, rename, table, wholeNumber } from './command.ts'
import type { Row } from './output.ts'

export function register(noun: Command): void {
  paged(
    add(
      noun,
      'list',
      'batches by chain, newest first',
      (options) => get('/batches', rename(options, { chain: 'chainId' })),
      table('batches', {
        ...fields('chainId', 'batchId', 'status'),
        foreign: field('isForeign'),
        ...fields('signer', 'blockNumber', 'instructions', 'unmatched', 'waitingOrders'),
        explained: (row) => (row.explanation as Row | null)?.reason,
      }),
    )
      .option('--chain <id>', 'only this chain')
      .option('--foreign', 'only those that this service did not make')
      .option('--unexplained', 'only foreign ones that did what no order asked for, or for which an order waits'),
  )
  add(noun, 'show <chain> <id>', 'one batch with its instructions and whose they are', (_, chain = '', id = '') =>
    get(pathOf('batches', chain, id)),
  )
  add(
    noun,
    'explain <chain> <id>',
    'say why a foreign batch did what no order asked for; or that instructions are not those of an order that waits',
    (options, chain = '', id = '') => post(pathOf('batches', chain, id, 'explain'), options),
  )
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option('--not-order <order>', 'this order, named integrationId/referenceId, is not what they settled: it goes on')
    .option('--index <n>', 'only this instruction; otherwise all with the tag of that order', wholeNumber)
}
