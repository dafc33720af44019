/** What the operator API needs, wired by the composition root. */
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Reading } from '../bank-files/refusal.ts'
import type { Chain } from '../chain/chain.ts'
import type { Config } from '../config.ts'
import type { BankAccount } from '../customers/bank-account.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { ReadBack, Unknown } from '../payment-files/read-back.ts'
import type { Place } from '../payment-files/right-folder.ts'
import type { Filed } from '../payment-files/run.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import type { Imported } from '../statements/import.ts'
import type { Brought, Content } from '../statements/read-content.ts'
import type { NewFile } from '../statements/record.ts'
import type { WebhookAdmin } from '../webhooks/admin.ts'
import type { Authenticate, Principal } from './authenticate.ts'
import type { FewLooks } from './few-looks.ts'
import type { Health } from './health.ts'
import type { WrongTokens } from './wrong-tokens.ts'

/** A chain as operators see it. */
export type OperatorChain = Pick<Chain, 'config' | 'admin' | 'nodes'> & {
  reader: Pick<Chain['reader'], 'head' | 'genesisHash'>
}

/** Takes a bank file in; see `importFile`. */
export type BankImport = (file: NewFile) => Promise<Imported>

/** Reads a bank file and changes nothing; see `readContent`. */
export type ReadsBankFile = (file: Brought) => Promise<Reading<Content>>

export type PaymentFiles = {
  /** Where they lie. */
  place: Place
  /** See `fileWaiting`. */
  write: () => Promise<Filed>
  /** See `findUnknown`. */
  findUnknown: (tx: Queryable) => Promise<Unknown>
  /** See `readBack`. */
  readBack: (
    also: (tx: Queryable, result: ReadBack) => Promise<void>,
    first: (tx: Queryable) => Promise<void>,
  ) => Promise<ReadBack>
}

/** What every process needs to serve probes and metrics. */
export type ProbeDeps = {
  logger: Logger
  health: Health
  /** Shown at /metrics; without it that path is not found. */
  metrics?: Registry | undefined
}

export type OperatorDeps = ProbeDeps & {
  config: Pick<Config, 'environment' | 'fourEyes' | 'policy' | 'reserve'>
  /** Of `looks`, so that what looks and changes run in it waits. */
  db: Database
  looks: Pick<FewLooks, 'look' | 'change'>
  secrets: SecretBox
  chains: readonly OperatorChain[]
  /** Whether a chain is called lost, as far as this process knows, also while the database is away. */
  isLost?: ((chainId: number) => boolean) | undefined
  webhooks: WebhookAdmin
  /** Undefined where no bank profile is configured. */
  bank?: BankImport | undefined
  /** The keys of the issuer's accounts in the bank profile. */
  bankAccounts?: readonly string[] | undefined
  readsBankFile?: ReadsBankFile | undefined
  /** Why payouts could not go to a bank account, as a sentence; undefined where the rail judges that itself. */
  payeeProblem?: ((bank: BankAccount) => string | undefined) | undefined
  /** Undefined where none are written. */
  paymentFiles?: PaymentFiles | undefined
  authenticate: Authenticate
  /** Whether people come from the identity provider and get no tokens. */
  refusesTokens?: boolean
  /** The issuer of the identity provider; undefined without one. */
  provider?: string | undefined
  /**
   * Who is signed in to the console in the browser that a request comes from; undefined without a cookie of it. Throws
   * OperatorError for one that has ended, and for a request that another site made.
   */
  browser?: ((request: FastifyRequest) => Promise<Principal | undefined>) | undefined
  /** Ends every browser of a person and every token for commands. @returns how many; undefined where there is no console */
  signOut?: ((tx: Queryable, operatorId: string) => Promise<number>) | undefined
  wrongTokens: WrongTokens
}
