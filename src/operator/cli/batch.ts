/** coin batch … */
import type { Command } from 'commander'
import { get, pathOf, post } from './client.ts'
import { add, field, fields, paged, rename, table, wholeNumber } from './command.ts'
import { printFields, type Row } from './output.ts'

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
        explained: (row) => sayExplained(row.explanation as Row | null),
      }),
    )
      .option('--chain <id>', 'only this chain')
      .option('--foreign', 'only those that this service did not make')
      .option(
        '--unexplained',
        'only foreign ones that did something no order asked for (also those that are to be given up), or keep an order waiting, and ours that the chain has executed again with another outcome',
      ),
  )
  add(
    noun,
    'show <chain> <id>',
    'one batch, its instructions, and the order behind each',
    (_, chain = '', id = '') => get(pathOf('batches', chain, id)),
    ({ asSeen: _, ...shown }) => printFields(shown),
  )
  add(
    noun,
    'explain <chain> <id>',
    'say why a foreign batch did something no order asked for, or that it did not settle an order that waits; of a final batch of ours that the chain has lost for good: give it up, and of one that it has executed again with another outcome: note that of each order',
    (options, chain = '', id = '') => post(pathOf('batches', chain, id, 'explain'), options),
  )
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option(
      '--not-order <order>',
      'the order, named integrationId/referenceId, that it did not settle: that order goes on',
    )
    .option(
      '--give-up',
      'of a foreign batch that the chain has lost for good, or of one of ours that had been executed again with another outcome before: give it up, with everything that was final behind it',
    )
    .option(
      '--digest <hash>',
      'which batch: its digest or its transaction, as it is shown; must be given where there was another one under its number',
    )
    .option('--index <n>', 'only this instruction; without it, all with the tag of that order', wholeNumber)
}

const sayExplained = (explanation: Row | null) =>
  explanation?.givesUp === true ? `to be given up: ${explanation.reason}` : explanation?.reason
