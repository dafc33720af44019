/** The checked settings: plain data that imports nothing. */
export const ROLES = ['api', 'settler', 'payer', 'courier', 'operator'] as const
export type Role = (typeof ROLES)[number]

/** What src/operators/roles.ts says of them. */
export const OPERATOR_ROLES = ['viewer', 'support', 'onboarding', 'treasury', 'compliance', 'admin'] as const

/** How a key signs: in this process, or through a Web3Signer-compatible remote signer (`eth_signTransaction`). */
export type SignerConfig =
  | { type: 'key'; privateKey: `0x${string}` }
  | { type: 'remote'; url: string; address: `0x${string}` }

/** One chain, as configured (live) or as the sandbox made it. */
export type ChainConfig = {
  /** Short chain key, e.g. `base`. */
  key: string
  name: string
  chainId: number
  nativeCurrency: { name: string; symbol: string; decimals: number }
  explorerBaseUrl: string
  explorerAddressUrl: string
  explorerTxUrl: string
  /** Blocks from the one that holds the transaction to the head, both counted: 1 means mined. */
  confirmations: number
  /** `finalized`: an outcome also waits until the nodes call its block finalized. */
  finality: 'depth' | 'finalized'
  /** Each is asked separately; `quorum` of them must agree before an outcome is believed. */
  rpcUrls: readonly string[]
  quorum: number
  /** How often the head is checked. */
  pollIntervalMs: number
  /** How many blocks come without an attempt before its fee is raised. */
  bumpAfterBlocks: number
  maxFeePerGasWei: bigint
  /** The most that nodes may suggest as a tip. */
  maxPriorityFeePerGasWei: bigint
  /** The most that a unit of gas may cost when the coin or settlement is stopped. */
  stopMaxFeePerGasWei: bigint
  coin: { address: `0x${string}`; name: string; symbol: string }
  settlement: `0x${string}`
  /** Keys that may call `settle`, used by the process that leads the chain. */
  signers: readonly SignerConfig[]
  /** Keys of operators' commands, each with the role of its name. Undefined where this process is to do without. */
  linker: SignerConfig | undefined
  freezer: SignerConfig | undefined
  pauser: SignerConfig | undefined
  unpauser: SignerConfig | undefined
  /** Undefined only in the sandbox: then nobody compares. */
  deployment: DeploymentConfig | undefined
  /** An on-chain sanctions oracle (`isSanctioned(address)`), asked about every wallet of an order. */
  sanctionsOracle: `0x${string}` | undefined
}

type Ceiling = { capacityMicro: bigint; refillPerSecondMicro: bigint }

/** What the contracts of a chain are to be: who holds which power, and what no limit may exceed. Compared at every start. */
export type DeploymentConfig = {
  roles: {
    admin: `0x${string}`
    signers: readonly `0x${string}`[]
    limiters: readonly `0x${string}`[]
    linkers: readonly `0x${string}`[]
    freezers: readonly `0x${string}`[]
    pausers: readonly `0x${string}`[]
    unpausers: readonly `0x${string}`[]
  }
  ceilings: { mint: Ceiling; burn: Ceiling; transfer: Ceiling }
  /** keccak256 of the admin's code, where that is a timelock other than this version's. */
  adminCodeHash?: `0x${string}` | undefined
  /** What only a test chain may be; never in a chains file. */
  unsafe: { admin: boolean; linkWithoutConsent: boolean } | undefined
}

export type PolicyConfig = {
  mintFloorMicro: bigint
  mintCeilingMicro: bigint
  /** What mints that a key confirms on a UTC day may come to; null for no cap. */
  mintDayCapMicro: bigint | null
  redeemCeilingMicro: bigint
  nonResidentLimitMicro: bigint
  monthlyWithdrawalCapMicro: bigint
  transferTxCapMicro: bigint
  transferDayCapMicro: bigint
  feeMicro: { MINT: bigint; REDEEM: bigint }
}

/** For how many days is kept what nothing needs to be exact: a month is dropped when its last instant is as old. */
export type RetentionConfig = {
  /** Stored answers. */
  answerDays: number
  /** Deliveries of webhooks, and their attempts. */
  deliveryDays: number
  eventDays: number
  /** Signed transactions of batches. */
  batchDays: number
}

/** Requests a minute for each key that has no limits of its own. */
export type RateConfig = { read: number; write: number; balances: number }

/** Where redeems are paid out: the sandbox's own book, payment files, or a bank connector over HTTP. */
export type PayoutConfig =
  | { type: 'simulated' }
  | { type: 'bank_files' }
  | { type: 'http'; url: string; connector: string; token: string; timeoutMs: number }

/** The company's OpenID Connect provider. */
export type IdentityProviderConfig = {
  issuer: string
  clientId: string
  clientSecret: string
  /** The claim of the ID token that lists groups. */
  groupsClaim: string
  /** Of somebody in several groups the first counts. */
  roles: readonly { group: string; role: (typeof OPERATOR_ROLES)[number] }[]
}

/** The roles that seal something or open what is sealed: they have SECRETS_KEY. */
export const SEALING_ROLES = ['payer', 'courier', 'operator'] as const

export type Config = {
  environment: 'sandbox' | 'live'
  roles: ReadonlySet<Role>
  host: string
  port: number
  operatorHost: string
  operatorPort: number
  /** Where partners reach the API through TLS, as an origin: the base address in its documents. */
  publicOrigin: string | undefined
  /** Where operators reach the console through TLS, as an origin; undefined: on this machine only. */
  consoleOrigin: string | undefined
  /** The token that belongs to nobody. Undefined in a sandbox, which then keeps one in its data folder, or once people have theirs. */
  operatorToken: string | undefined
  /** Undefined where operators have tokens only. */
  identityProvider: IdentityProviderConfig | undefined
  /** Whether what could be stolen with waits for a second operator's approval. */
  fourEyes: boolean
  dataDir: string
  /** Undefined: PGlite in the data folder (sandbox only). */
  databaseUrl: string | undefined
  databasePoolSize: number
  /** Files of certificates that end some day: those of the database's address, and NODE_EXTRA_CA_CERTS. */
  certificateFiles: readonly string[]
  redisUrl: string | undefined
  /** How long a process that is ending still answers, telling its clients to leave. */
  drainMs: number
  /** How long stopping may take in all before a process ends without having finished. */
  stopMs: number
  /** Addresses or CIDRs whose X-Forwarded-For is trusted. */
  trustedProxies: readonly string[]
  sunsetDate: Date | undefined
  webhookAllowLoopback: boolean
  /** 32 bytes; encrypts webhook secrets at rest. Undefined only in the sandbox, which keeps one in the data folder. */
  secretsKey: Uint8Array | undefined
  /** Opens what was sealed before the key was replaced. */
  secretsKeyPrevious: Uint8Array | undefined
  /** What follows when something happens on a chain that nobody here asked for; `pause`: nothing is settled there any more. */
  onForeignMovement: 'report' | 'pause'
  policy: PolicyConfig
  rates: RateConfig
  retention: RetentionConfig
  payout: PayoutConfig
  /** Whether mints wait for ringgit at the bank, and how old what the bank said may be. */
  reserve: { guard: 'off' | 'warn' | 'hold'; maxAgeMs: number }
  /** The file that names the issuer's bank accounts; without it no statement is read. */
  bankProfile: string | undefined
  /** 32 bytes; signs the proof of reserves. Undefined only where nothing is proven. */
  reservesKey: Uint8Array | undefined
  /** The time zone in which the books' days begin. */
  booksTimezone: string
  /** Empty only in the sandbox, which starts its own chain. */
  chains: readonly ChainConfig[]
  defaultChainId: number | undefined
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug'
}
