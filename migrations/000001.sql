-- Its one row says whether real money is in here, so that no sandbox is started on it, nor the other way round.
create table database_environment (
  is_only boolean primary key default true check (is_only),
  environment text not null check (environment in ('sandbox', 'live')),
  since timestamptz not null default now()
);

-- A row is sealed under a SECRETS_KEY and says nothing: a process whose keys do not open the first is not started, nor one that
-- comes with another new key than the one that is replacing it.
create table secrets_key (
  is_next boolean primary key default false,
  sealed text not null check (starts_with(sealed, 'sb1.'))
);

-- Who may call: integrations (partners) and their API keys.

create table integrations (
  integration_id text primary key,
  name text not null check (length(name) between 1 and 200),
  status text not null default 'active' check (status in ('active', 'suspended')),
  dpa_signed_on date,
  created_at timestamptz not null default now()
);

-- Bank details of people and companies, sealed under SECRETS_KEY. Other tables name them. Another account is another row: only the
-- seal and its hashes are ever written anew, when the key has changed.
create table bank_details (
  bank_id text primary key check (bank_id ~ '^bnk_[0-9a-f]{24}$'),
  -- JSON: account number, holder's name, and what a bank wrote beside them
  sealed text not null check (starts_with(sealed, 'sb1.')),
  -- Keyed hashes, by which equal ones are found without being read
  account_key text check (account_key ~ '^[0-9a-f]{32}$'),
  text_key text check (text_key ~ '^[0-9a-f]{32}$'),
  -- of each word of a customer's name
  name_keys text[],
  -- What is shown of it without being opened
  bic text,
  account_ending text check (length(account_ending) <= 4),
  -- Whose they are or were, of customers: so that nothing of an erased one is left over, and nobody is paid to another's account.
  -- The seal opens for them alone.
  customer_id text,
  -- End-to-end id and amount of the filed payment whose payee it is. The seal opens for these alone.
  payment text,
  created_at timestamptz not null default now(),
  constraint bank_details_of_customer_unique unique (bank_id, customer_id)
);
create index bank_details_by_account on bank_details (account_key) where account_key is not null;
create index bank_details_of_customer on bank_details (customer_id) where customer_id is not null;
-- Only bitmap scans use it, which connections have switched off: whoever looks for words switches them on.
create index bank_details_by_word on bank_details using gin (name_keys) where name_keys is not null;

-- From which accounts a partner pays for its mints. An account belongs to one partner.
create table integration_remitters (
  bank_id text primary key references bank_details,
  integration_id text not null references integrations,
  created_at timestamptz not null default now()
);
create index integration_remitters_by_integration on integration_remitters (integration_id);

-- Only the SHA-256 of the secret is stored. Null rate limits and caps mean the configured default.
create table api_keys (
  key_id text primary key check (key_id ~ '^[0-9a-f]{16}$'),
  integration_id text not null references integrations,
  environment text not null check (environment in ('sandbox', 'live')),
  secret_sha256 text not null check (secret_sha256 ~ '^[0-9a-f]{64}$'),
  scopes text[] not null,
  ip_allowlist text[] not null default '{}',
  rate_read integer check (rate_read > 0),
  rate_write integer check (rate_write > 0),
  rate_balances integer check (rate_balances > 0),
  transfer_tx_cap_micro bigint check (transfer_tx_cap_micro >= 0),
  transfer_day_cap_micro bigint check (transfer_day_cap_micro >= 0),
  mint_day_cap_micro bigint check (mint_day_cap_micro >= 0),
  -- In whose usage its mints and transfers count: the first of the keys that it replaced one after another, so that the caps of a day
  -- are not doubled while two of them work. Null: its own. It never changes.
  cap_key_id text,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now()
);
create index api_keys_by_integration on api_keys (integration_id, created_at);

-- Apart from the keys: processes that answer partners write it, and they are not to change a key.
create table api_key_uses (
  key_id text primary key,
  last_used_at timestamptz not null,
  last_used_from text not null check (length(last_used_from) <= 100)
);

-- Parties that integrations onboarded. A customer id belongs to exactly one integration.

create table customers (
  customer_id text primary key,
  integration_id text not null references integrations,
  account_type text not null check (account_type in ('RETAIL', 'ENTERPRISE')),
  verification_status text not null
    check (verification_status in ('UNVERIFIED', 'PENDING', 'VERIFIED', 'REJECTED', 'SUSPENDED')),
  verification_level text not null,
  verified_at timestamptz,
  country_code text not null check (country_code ~ '^[A-Z]{2}$'),
  is_resident boolean not null,
  monthly_cap_micro bigint not null check (monthly_cap_micro >= 0),
  can_mint boolean not null default true,
  can_redeem boolean not null default true,
  can_transfer boolean not null default true,
  bank_id text,
  -- What the partner or the issuer calls it elsewhere.
  external_id text check (length(external_id) between 1 and 100),
  -- What no book needs was forgotten; such a customer does nothing any more.
  erased_at timestamptz,
  created_at timestamptz not null default now(),
  constraint customers_own_bank foreign key (bank_id, customer_id) references bank_details (bank_id, customer_id),
  constraint customers_external_id unique (integration_id, external_id),
  constraint customers_verified_at_only_when_verified check ((verification_status = 'VERIFIED') = (verified_at is not null)),
  constraint customers_erased check (erased_at is null or (bank_id is null and external_id is null
    and verification_status = 'SUSPENDED' and not (can_mint or can_redeem or can_transfer)))
);
create index customers_by_integration on customers (integration_id, created_at);

-- What earlier redeems left over below one sen: owed to the customer, paid with a later payout.
create table customer_residuals (
  customer_id text primary key,
  -- Below zero where a part went out with a payout although the burn that left it over never took place: less than a sen.
  owed_micro bigint not null constraint customer_residuals_not_negative check (owed_micro > -10000),
  -- Of that, what refunds under way will take.
  reserved_micro bigint not null default 0,
  -- How often an operator has had it paid without a redeem: each such payout has a name of its own.
  settlements integer not null default 0,
  constraint customer_residuals_reserved check (reserved_micro between 0 and greatest(owed_micro, 0))
);

create table wallets (
  customer_id text not null references customers,
  address text not null check (address ~ '^0x[0-9a-fA-F]{40}$'),
  is_primary boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (customer_id, address)
);
create unique index wallets_one_primary on wallets (customer_id) where is_primary;
create index wallets_by_address on wallets (address);

-- The consent by which a wallet may be debited on a chain, kept before it is used, so that a command that was cut off
-- can be repeated with it. Null where the coin demands none. linked_at: when the chain showed the link at full depth.
create table wallet_links (
  customer_id text not null references customers,
  address text not null check (address ~ '^0x[0-9a-fA-F]{40}$'),
  chain_id bigint not null,
  consent text check (consent ~ '^0x([0-9a-f]{2})+$'),
  consent_deadline bigint,
  begun_at timestamptz not null default now(),
  linked_at timestamptz,
  primary key (customer_id, address, chain_id),
  constraint wallet_links_consent_whole check ((consent is null) = (consent_deadline is null))
);

create table corporates (
  corporate_id text primary key,
  integration_id text not null references integrations,
  company_name text not null,
  verification_status text not null
    check (verification_status in ('UNVERIFIED', 'PENDING', 'VERIFIED', 'REJECTED', 'SUSPENDED')),
  verification_stage text not null,
  verified_at timestamptz,
  country_code text not null check (country_code ~ '^[A-Z]{2}$'),
  industry text not null,
  can_mint boolean not null default true,
  can_redeem boolean not null default true,
  can_payroll boolean not null default true,
  created_at timestamptz not null default now(),
  constraint corporates_verified_at_only_when_verified check ((verification_status = 'VERIFIED') = (verified_at is not null))
);
create index corporates_by_integration on corporates (integration_id, created_at);

-- Recipients that no transfer may reach. Addresses are stored in lower case.
create table screening_denials (
  address text primary key check (address ~ '^0x[0-9a-f]{40}$'),
  created_at timestamptz not null default now()
);

-- Names what the database's past is, as src/db/timeline.sql.ts does.
create function database_timeline() returns text language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
begin
  return (select system_identifier::text from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
    || '/' || 'chains'::regclass::oid::text;
end
$$;

-- Each past that this database has had (database_timeline()) and accepted orders on. Orders with higher ids than after_order_id were
-- accepted on it, or may have been: a past that was lost may have had other orders under their references. newest_order_id is the newest
-- order when the past was noted: later ones were accepted on it, also where its clock is behind that of the past before.
create table database_timelines (
  timeline text primary key,
  after_order_id bigint not null,
  newest_order_id bigint not null,
  created_at timestamptz not null default now()
);

-- What the settler knows about each chain. observed_block is the newest block whose batches are all recorded as mined:
-- balances are read at this block, so that they and the earmarks below belong to the same moment.
create table chains (
  chain_id bigint primary key,
  coin_address text not null,
  settlement_address text not null,
  genesis_hash text not null,
  observed_block bigint not null default 0,
  observed_hash text,
  -- When a settler last saw a block that it had not seen before.
  observed_at timestamptz not null default now(),
  next_batch_id bigint not null default 1,
  -- The contract's running hash after the batch before the next one; 32 zero bytes before the first.
  running_hash text not null default '0x0000000000000000000000000000000000000000000000000000000000000000',
  -- Up to which its settlers have read what its timelock was told to do; null before the first did.
  timelock_block bigint,
  -- The contract's limits as a settler last compared them (JSON); null before the first did. Whoever begins compares with them.
  watched_limits text,
  -- The database's timeline on which nothing that a lost history has signed can be executed any more: the one on which the chain was
  -- registered, then the one of the last fence. While that is not the present one, no order ends without having settled; null where nobody
  -- settled for long, and where its contracts had batches when it was registered.
  fenced_on text default database_timeline(),
  created_at timestamptz not null default now()
);

-- Chains that are gone for good, as two operators have said: nobody asks their nodes or signs for them, what was not final there comes to
-- nothing, and what was final stays owed to its holders. A row goes when its chain was found again.
create table lost_chains (
  chain_id bigint primary key references chains,
  reason text not null check (length(reason) between 1 and 300),
  -- Who ran the command; the audit log says who approved it.
  lost_by text not null,
  lost_at timestamptz not null default now()
);

-- The most that each on-chain bucket can hold, as a quorum of nodes last said. An order above it is refused, as long as this
-- was read a short while ago.
create table chain_limits (
  chain_id bigint not null,
  direction text not null check (direction in ('MINT', 'REDEEM', 'TRANSFER')),
  capacity_micro bigint not null check (capacity_micro >= 0),
  read_at timestamptz not null default now(),
  primary key (chain_id, direction)
);

-- No foreign keys here, nor on anything else that an acceptance writes: the rows to which they would point are never
-- deleted (a test checks it), and each key would lock a row that partners share, so that one held lock would stop
-- everybody.
create table orders (
  -- Fixed sizes first, so that no byte is lost to alignment.
  order_id bigint generated always as identity primary key,
  chain_id bigint not null,
  amount_micro bigint not null check (amount_micro > 0),
  fee_micro bigint not null default 0 check (fee_micro >= 0),
  -- When it was accepted, which decides the UTC day and month in whose usage it counts. To the millisecond, as the API
  -- shows it and cursors carry it.
  created_at timestamptz(3) not null default now() check (isfinite(created_at)),
  -- From here to the failure's reason, what its moves write; side by side, so that the log of changes need not repeat what stays.
  updated_at timestamptz(3) check (isfinite(updated_at)),
  -- Where it was settled: copied from its batch when that is final. Until then signed_orders and the batch's row say so, and
  -- change it alone.
  batch_id bigint,
  block_number bigint,
  -- The UTC day on which a mint was confirmed and the key that did, in whose usage the mint counts. Null for what counts in none:
  -- not confirmed, or confirmed while no cap was in force.
  mint_cap_day date,
  batch_index smallint,
  -- Whether order_holds has it, as that table's trigger says: so that what may go into a batch is found, however much may not. An order
  -- that ends while it is held keeps it.
  is_held boolean not null default false,
  mint_cap_key_id text,
  -- A pending one in signed_orders is what partners see as processing. Its phase follows from its batch
  -- (src/orders/life/states.ts): nothing to store.
  status text not null
    check (status in ('payment_pending', 'pending', 'processing', 'completed', 'failed', 'cancelled')),
  -- As bytes, because every order keeps one.
  tx_hash bytea check (length(tx_hash) = 32),
  failure_reason text,
  integration_id text not null,
  reference_id text not null check (length(reference_id) between 8 and 100),
  direction text not null check (direction in ('MINT', 'REDEEM', 'TRANSFER')),
  network text not null,
  token_address text not null,
  -- The wallet that the API shows: credited by a mint or transfer, debited by a redeem.
  -- Both are 20 bytes, for they are put into batches as they stand here: longer ones would have further instructions in them.
  wallet_address text not null check (wallet_address ~ '^0x[0-9a-fA-F]{40}$'),
  -- The wallet that coin leaves: null for a mint.
  debit_address text check (debit_address ~ '^0x[0-9a-fA-F]{40}$'),
  customer_id text not null,
  key_id text not null,
  bank_reference text,
  constraint orders_debit_matches_direction check ((direction = 'MINT') = (debit_address is null)),
  constraint orders_mint_cap_whole check (
    (mint_cap_key_id is null) = (mint_cap_day is null)
    and (mint_cap_day is null or (direction = 'MINT' and status not in ('payment_pending', 'cancelled')))),
  constraint orders_place_whole check (num_nonnulls(batch_id, batch_index, tx_hash, block_number) in (0, 4)),
  constraint orders_fit_status check (
    case status
      -- Burnt, and not paid out yet.
      when 'processing' then batch_id is not null and failure_reason is null and direction = 'REDEEM'
      when 'completed' then batch_id is not null and failure_reason is null
      -- Without a batch when an operator has rejected it.
      when 'failed' then failure_reason is not null
      else num_nonnulls(batch_id, failure_reason) = 0 and (status = 'pending' or direction = 'MINT')
    end)
-- Pages keep room for the later version of their rows: a change in place repeats only what changed in the log.
) with (fillfactor = 45);
-- For every page: one ordered range for each direction and status. In a collation of its own, which pages name, so that no plan for one
-- reference, however small the table was when it was made, walks through all orders of an integration by this index instead.
-- Ascending, although the newest come first on a page: what is added behind the others of its range splits no page in the middle.
create index orders_listed on orders (integration_id collate "C", direction, status, created_at, order_id);
-- Orders accepted and not ended: a queue for each integration and direction. Those in a batch are at its head, and those that are held
-- by themselves. By an expression, so that no plan for one queue walks through the primary key instead.
create index orders_awaiting_settlement on orders (chain_id, is_held, integration_id, direction, (order_id + 0))
  where status = 'pending';
-- Mints that wait for their payment, by wallet: a foreign batch may have settled one. Whoever wants this index repeats its condition:
-- a confirmation, which has the order's id, is not to walk through all of them because they were few when its plan was made.
create index orders_unpaid on orders (chain_id, wallet_address) where status = 'payment_pending' and order_id + 0 > 0;
-- Orders that moved no coin, by wallet: a foreign batch may have moved it for one.
create index orders_without_coin on orders (chain_id, wallet_address) where status in ('failed', 'cancelled');
-- Mints that count on a later day than that of their acceptance.
create index orders_confirmed_later on orders (mint_cap_day, order_id) where mint_cap_day <> (created_at at time zone 'UTC')::date;
-- Burnt and not paid out yet.
create index orders_burnt on orders (order_id) where status = 'processing';
alter table orders add constraint orders_reference_unique unique (integration_id, reference_id);

-- The newest order of the past is noted before the first one after it is there.
create function note_timeline() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from database_timelines where timeline = database_timeline()) then
    insert into database_timelines (timeline, after_order_id, newest_order_id)
      select database_timeline(), n.newest, n.newest from (select coalesce(max(order_id), 0) as newest from orders) n on conflict do nothing;
  end if;
  return null;
end
$$;
create trigger orders_note_timeline before insert on orders for each statement execute function note_timeline();

-- Pending orders that are kept out of batches, until an operator releases or rejects them, and why.
create table order_holds (
  order_id bigint primary key,
  reason text not null check (length(reason) between 1 and 300)
);

-- Pending orders that were signed, from then until their batch is final, and in which batch they are: in one line, so that one
-- is in no two batches. Without a batch when theirs was abandoned: they await another one, and are pending to nobody.
create table signed_orders (
  order_id bigint primary key,
  batch_id bigint,
  -- When this line last changed; to the millisecond, as the API shows it.
  since timestamptz(3) not null default now(),
  batch_index smallint,
  -- The highest id of a batch that it was in and that was abandoned. Until another batch is final under this id, whoever has the
  -- abandoned one's bytes may still have it executed.
  abandoned_batch_id bigint,
  constraint signed_orders_batch_whole check ((batch_id is null) = (batch_index is null))
);

-- Every key that was ever answered with 2xx, kept for ever, so that it never means a different request.
create table idempotency_keys (
  integration_id text not null,
  idempotency_key text not null,
  fingerprint bytea not null,
  -- The order that it created, or with which it was answered; 0 for what a sandbox made without an order.
  order_id bigint not null,
  -- When the key created the order, the status in its answer, which is made again from the order's immutable columns.
  first_answer text check (first_answer in ('payment_pending', 'pending')),
  -- Otherwise the instant at which its answer was stored in remembered_answers.
  answered_at timestamptz,
  constraint idempotency_keys_unique primary key (integration_id, idempotency_key),
  constraint idempotency_keys_one_answer check ((first_answer is null) = (answered_at is not null))
);

-- Answers that do not follow from an order's row (confirmed, cancelled, posted again), byte for byte. A month whose
-- retention is over is dropped whole (src/retention); rows of months without a partition are in the default one.
create table remembered_answers (
  integration_id text not null,
  idempotency_key text not null,
  status smallint not null check (status between 200 and 299),
  body text not null,
  created_at timestamptz not null,
  primary key (integration_id, idempotency_key, created_at)
) partition by range (created_at);
create table remembered_answers_default partition of remembered_answers default;

-- Usage counters. The accepting statement adds to them; the check constraints refuse what would exceed a cap, so that
-- no two requests can exceed it together. Each addition writes the cap in force.

create table transfer_usage (
  key_id text not null check (length(key_id) <= 200),
  day date not null,
  committed_micro bigint not null check (committed_micro >= 0),
  cap_micro bigint not null,
  primary key (day, key_id)
);

create table mint_usage (
  key_id text not null check (length(key_id) <= 200),
  day date not null,
  committed_micro bigint not null check (committed_micro >= 0),
  cap_micro bigint not null,
  primary key (day, key_id)
);

create table withdrawal_usage (
  customer_id text not null check (length(customer_id) <= 200),
  month date not null,
  committed_micro bigint not null check (committed_micro >= 0),
  cap_micro bigint not null,
  primary key (month, customer_id)
);

-- Coin that accepted orders not yet mined will take from a wallet. `epoch` counts every change that settlement makes
-- (mined, failed, reorganised); an acceptance writes the epoch of its facts and the balance read at the observed block.
create table wallet_earmarks (
  chain_id bigint not null check (chain_id between 1 and 9007199254740991),
  address text not null check (length(address) <= 200),
  earmarked_micro bigint not null constraint wallet_earmarks_not_negative check (earmarked_micro >= 0),
  epoch bigint not null default 0,
  facts_epoch bigint not null default 0,
  -- Here and below: what is no number is greater than all others, and nothing that reads it as one goes on.
  balance_micro numeric(78, 0) check (balance_micro < 'NaN'),
  primary key (chain_id, address),
  constraint wallet_earmarks_facts_current check (facts_epoch = epoch),
  constraint wallet_earmarks_within_balance check (balance_micro is null or earmarked_micro <= balance_micro)
);

alter table transfer_usage add constraint transfer_usage_within_cap check (committed_micro <= cap_micro);
alter table mint_usage add constraint mint_usage_within_cap check (committed_micro <= cap_micro);
alter table withdrawal_usage add constraint withdrawal_usage_within_cap check (committed_micro <= cap_micro);

-- Settlement: who may sign, what was signed, what became of it.

create table leases (
  name text primary key,
  holder text not null,
  token bigint not null,
  expires_at timestamptz not null,
  -- for how long it was given: one that lasts longer is of a clock that was set back
  lasts interval not null
);

-- next_nonce is assigned in the transaction that stores the signed bytes.
create table signers (
  chain_id bigint not null references chains,
  address text not null,
  next_nonce bigint not null,
  primary key (chain_id, address)
);

create table batches (
  chain_id bigint not null references chains,
  batch_id bigint not null,
  signer text not null,
  nonce bigint not null,
  digest text not null,
  -- The contract's running hash once this batch is settled.
  running_hash text not null,
  -- In the sequence of their instructions. None are known of a batch that others made.
  order_ids bigint[] not null,
  order_count smallint not null check (order_count between 1 and 255),
  -- signed: stored, maybe broadcast · mined: seen on the canonical chain · final: at full depth, orders decided ·
  -- abandoned: can never execute; its orders await another batch, and its id is taken again
  status text not null check (status in ('signed', 'mined', 'final', 'abandoned')),
  -- Set when somebody else with a signing key made the batch, or this service before its database was restored.
  is_foreign boolean not null default false,
  -- The transaction that carries it, as partners see it: the first one, then the one that was mined.
  tx_hash text,
  mined_block bigint,
  mined_hash text,
  success_bitmap numeric(78, 0) check (success_bitmap >= 0 and success_bitmap < 'NaN'),
  fencing_token bigint not null,
  created_at timestamptz not null default now(),
  -- When it last got another transaction or place; to the millisecond, as the API shows it.
  moved_at timestamptz(3),
  finalized_at timestamptz(3),
  -- Of a foreign batch, the time of its block.
  settled_at timestamptz,
  -- How often one under this id was called final that no chain has, until an operator took it back.
  taken_back smallint not null default 0,
  -- Of a fence, which settles no order: the tag of its only instruction, which no other batch has, and the database's timeline on which it
  -- was signed; null where it fences nothing.
  fence_tag text,
  fences_on text,
  -- The timeline of the database on which it was stored.
  signed_on text not null default database_timeline(),
  primary key (chain_id, batch_id),
  constraint batches_list_orders check (is_foreign or order_count = cardinality(order_ids) or fence_tag is not null),
  constraint batches_fence_alone check (case when fence_tag is null then fences_on is null
    else not is_foreign and order_count = 1 and cardinality(order_ids) = 0 end),
  constraint batches_fit_status check (
    case status
      when 'mined' then num_nulls(tx_hash, mined_block, mined_hash) = 0 and num_nonnulls(success_bitmap, finalized_at) = 0
      when 'final' then num_nulls(tx_hash, mined_block, mined_hash, success_bitmap, finalized_at) = 0
      else num_nonnulls(mined_block, mined_hash, success_bitmap, finalized_at) = 0
    end)
);
create unique index batches_nonce_in_flight on batches (chain_id, signer, nonce) where status in ('signed', 'mined');
create index batches_in_flight on batches (chain_id, signer, batch_id) where status in ('signed', 'mined');

-- Signed transactions. In months: a month is dropped once every batch in it is decided and its retention is over. No
-- foreign key, because making a month would have to lock batches for it; batches are never deleted.
create table batch_attempts (
  chain_id bigint not null,
  batch_id bigint not null,
  tx_hash text not null,
  signer text not null,
  nonce bigint not null,
  -- With the batch's call data, which is stored nowhere else.
  raw_transaction bytea not null,
  max_fee_per_gas numeric(78, 0) not null check (max_fee_per_gas >= 0 and max_fee_per_gas < 'NaN'),
  max_priority_fee_per_gas numeric(78, 0) not null check (max_priority_fee_per_gas >= 0 and max_priority_fee_per_gas < 'NaN'),
  gas_limit bigint not null,
  created_at timestamptz not null default now(),
  last_broadcast_at timestamptz,
  last_answer text,
  primary key (chain_id, tx_hash, created_at)
) partition by range (created_at);
create index batch_attempts_of_batch on batch_attempts (chain_id, batch_id, created_at);
create table batch_attempts_default partition of batch_attempts default;

create index batches_foreign on batches (chain_id, batch_id) where is_foreign;
create index batches_fences on batches (chain_id, batch_id) where fences_on is not null;

-- Why foreign batches have instructions that no order took, as operators have said; or that a final batch, which the chain has lost for
-- good, is given up with what is behind it.
create table batch_explanations (
  chain_id bigint not null,
  batch_id bigint not null,
  reason text not null check (length(reason) between 1 and 500),
  explained_at timestamptz not null default now(),
  gives_up boolean not null default false,
  primary key (chain_id, batch_id),
  foreign key (chain_id, batch_id) references batches
);

-- Final batches of ours that the chain had lost and has executed again with another outcome, in a final block, as a settler saw it. `executed`: the
-- indexes of what it has executed now. `explained_at`: operators have said so, too, and what became of each order is in lost_orders. `beside`: of these, the
-- burns of redeems that had left the batch as not burnt, which the books have now as coin that their integration is owed.
create table batch_outcomes (
  chain_id bigint not null,
  batch_id bigint not null,
  executed smallint[] not null,
  seen_at timestamptz not null default now(),
  reason text check (length(reason) between 1 and 500),
  explained_at timestamptz,
  beside smallint[] not null default '{}',
  primary key (chain_id, batch_id),
  constraint batch_outcomes_say_why check ((reason is null) = (explained_at is null)),
  foreign key (chain_id, batch_id) references batches
);

-- What foreign batches have settled, according to their transactions. A tag in this table never enters a batch of ours:
-- an order with that tag takes the outcome (order_id), or it is in tag_conflicts. Only where an operator has said that the
-- instruction is not that order's (not_of_order_id) the order goes its own way.
create table foreign_instructions (
  chain_id bigint not null,
  batch_id bigint not null,
  instruction_index smallint not null,
  tag text not null,
  direction text not null check (direction in ('MINT', 'REDEEM', 'TRANSFER')),
  -- As in orders: the wallet credited by a mint or transfer or debited by a redeem, and the one debited by a transfer
  -- or redeem.
  wallet_address text not null,
  debit_address text,
  amount_micro numeric(20, 0) not null check (amount_micro >= 0 and amount_micro < 'NaN'),
  succeeded boolean not null,
  order_id bigint,
  not_of_order_id bigint,
  primary key (chain_id, batch_id, instruction_index),
  -- A redeem may have a burn, and what minted its coin back under the same tag.
  constraint foreign_instructions_once unique (order_id, direction),
  constraint foreign_instructions_one_verdict check (order_id is distinct from not_of_order_id or order_id is null),
  foreign key (chain_id, batch_id) references batches
);
-- By an expression, so that no plan for a tag walks through a chain's instructions by the primary key instead.
create index foreign_instructions_of_tag on foreign_instructions (tag, (chain_id + 0));

-- Orders whose tag was settled with other details, more than once, for another order, or after they had ended. Each waits for an
-- operator.
create table tag_conflicts (
  order_id bigint primary key,
  chain_id bigint not null,
  tag text not null,
  created_at timestamptz not null default now()
);

-- Completed orders of batches that were final, that the chain has lost and that operators gave up, and redeems that payers have seen burnt by them: what
-- each moved is not there. Likewise what the chain has refused when it executed a batch again (batch_outcomes); and `executed`, of orders that had failed,
-- what it has executed then. `remint` is
-- the reference of the order of the house that mints the coin of a mint again, or back; the latest one, if several were begun. `closed_at`: it was made good
-- otherwise. `undone`: the chain has done it once more as it was told, as operators have said. `turns`: how often the books have it that there is coin beside,
-- or too little, because it is there and what made it good, too, or is so no more (turn/…).
create table lost_orders (
  order_id bigint primary key,
  chain_id bigint not null,
  batch_id bigint not null,
  lost_at timestamptz not null default now(),
  remint text unique,
  closed_at timestamptz,
  executed boolean not null default false,
  undone boolean not null default false,
  turns smallint not null default 0
);

-- What happened on a chain that nobody here asked for, as its settler saw it: batches, coin that was made or destroyed outside
-- batches, changes of roles, limits and code, and what the timelock was told to do. While one that pauses is open, nothing is settled on that chain.
create table foreign_movements (
  movement_id bigint generated always as identity primary key,
  chain_id bigint not null references chains,
  kind text not null check (kind in ('batch', 'supply', 'role', 'limit', 'code', 'timelock')),
  details text not null,
  -- It was not there at after_block, and was at seen_block.
  after_block bigint not null,
  seen_block bigint not null,
  -- Of a batch, and of what it settled: after a reorganisation its id may be another one's.
  batch_id bigint,
  digest text,
  -- How much more coin exists than batches have made; less than zero: less coin.
  amount_micro numeric(40, 0) check (amount_micro < 'NaN'),
  -- [{"txHash", "block", "from", "to", "amount"}], as far as they are known.
  transactions jsonb not null default '[]' check (case jsonb_typeof(transactions) when 'array'
    then not jsonb_path_exists(transactions, 'strict $[*] ? (@.type() != "object")') else false end),
  pauses boolean not null,
  seen_at timestamptz not null default now(),
  -- An operator has resumed the chain, or explained the batch.
  ended_at timestamptz,
  constraint foreign_movements_of_batch check ((kind = 'batch') = (batch_id is not null) and (kind = 'batch') = (digest is not null))
);
create unique index foreign_movements_batch_once on foreign_movements (chain_id, batch_id, digest) where ended_at is null;
create index foreign_movements_open on foreign_movements (chain_id) where ended_at is null;

-- What the timelock of a chain was told to do: it does so after its delay, unless somebody cancels it.
create table timelock_operations (
  chain_id bigint not null references chains,
  -- The timelock's own name for it.
  operation_id text not null,
  -- [{"contract", "target", "value", "call"}], in their sequence.
  calls jsonb not null,
  tx_hash text not null,
  scheduled_block bigint not null,
  -- Who sent that transaction; null where no node says so.
  sent_by text,
  status text not null check (status in ('pending', 'executed', 'cancelled')),
  -- From when on a pending one can be executed.
  ready_at timestamptz,
  -- The newest block when one was first seen to be over; until it is final, the chain may take that back.
  ended_block bigint,
  seen_at timestamptz not null default now(),
  primary key (chain_id, operation_id),
  constraint timelock_operations_ended check ((status = 'pending') = (ended_block is null)),
  constraint timelock_operations_ready check ((status = 'pending') <= (ready_at is not null))
);

-- Why orders of a chain wait, as its settler last said; `blocked` holds kinds of orders while the others go on.
create table settlement_holds (
  chain_id bigint primary key,
  reason text not null,
  details text,
  blocked text[] not null default '{}',
  -- The database's timeline on which every batch of the chain was last known here; null before the first time. Before that is the
  -- present one, other chains sign nothing: what was restored may lack what this chain has settled.
  history_read_on text,
  since timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- Payouts: one per redeem, under one id for ever; and those of what a customer is owed in parts of a sen.
create table payouts (
  payout_id text primary key,
  -- The redeem; null for a payout of parts of a sen, which has a name of its own.
  order_id bigint unique,
  -- That of its redeem, or its customer: integrations take turns at rails.
  integration_id text,
  -- That of its redeem, as the database itself writes it: payers of a chain look for the burns of theirs.
  chain_id bigint,
  reference_id text,
  customer_id text not null,
  amount_sen bigint not null check (amount_sen > 0),
  -- Chosen when an attempt is first claimed; no other rail may be asked about that attempt.
  rail text,
  -- queued: to be initiated (or asked about) · held: waits, for hold_reason · sent: the rail has it · paid: on a statement, or
  -- the rail says so · rejected: not taken, or not carried out · returned: paid, and given back · paid_by_hand: outside of
  -- every rail · refunded: its coin was minted back
  status text not null check (status in ('queued', 'held', 'sent', 'paid', 'rejected', 'returned', 'paid_by_hand', 'refunded')),
  -- When it got this status.
  status_since timestamptz not null default now() check (isfinite(status_since)),
  hold_reason text check (hold_reason in ('rail_not_configured', 'maybe_paid_before', 'by_operator', 'other_attempt', 'burn_not_seen')),
  -- Who tends a payout that came back.
  owner text check (length(owner) between 1 and 200),
  -- The attempt that counts, and the id under which the bank knows it.
  attempt smallint not null default 1 check (attempt > 0),
  end_to_end_id text not null,
  -- Its redeem was settled in a history that the database had lost: the rail is asked what it knows before it is told to pay.
  ask_first boolean not null default false,
  -- How often its coin was to be minted back. Each try has a name of its own.
  refunds smallint not null default 0,
  -- How often operators have paid it, outside of every rail.
  by_hand smallint not null default 0,
  -- How often operators have had a rail asked for another payment. Nobody else may write it, so nobody else begins one.
  retries smallint not null default 0,
  -- The burn that it pays, as the payer itself has seen it final on the chain: chain/batch/index, and /again/… under an
  -- id of batches that were given up. No rail is asked before, and one burn
  -- pays one payout. Nobody but payers may write it; null for parts of a sen.
  burn text constraint payouts_burn_unique unique,
  -- How often a rail was asked about it, in whichever attempt.
  times_asked integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  -- Until then one process asks, and no other.
  claimed_until timestamptz,
  -- The account it goes to, of bank_details, fixed when the attempt is first claimed, so that one end-to-end id always means one payment.
  bank_id text,
  rail_reference text,
  last_error text,
  -- The timeline of the database on which it was queued.
  made_on text not null default database_timeline(),
  -- The one on which its rail has said, since it came back on another, that it has none of the payments that a retry would make.
  unretried_on text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint payouts_to_own_bank foreign key (bank_id, customer_id) references bank_details (bank_id, customer_id),
  constraint payouts_of_an_order_or_of_parts check (
    case when order_id is null then num_nonnulls(integration_id, reference_id) = 2 else reference_id is null end),
  constraint payouts_held_for_a_reason check ((status = 'held') = (hold_reason is not null)),
  -- What was paid by hand may come back though no rail was ever asked.
  constraint payouts_decided_by_a_rail check (rail is not null or status not in ('sent', 'paid', 'returned') or status = 'returned' and by_hand > 0),
  constraint payouts_sent_has_reference check (status not in ('sent', 'paid') or rail_reference is not null)
);
-- What may be asked for at its time, by integration: they take turns. What a rail may have been asked about before has a range of its own.
-- By an expression of the status, so that no plan goes by payouts_by_status instead.
create index payouts_due on payouts ((coalesce(integration_id, '')), (least(times_asked, 1)), next_attempt_at)
  where status || '' = 'queued' and (burn is not null or order_id is null);
create index payouts_unseen on payouts (chain_id, next_attempt_at)
  where burn is null and order_id is not null and status in ('queued', 'rejected', 'returned');
create index payouts_sent on payouts (next_attempt_at) where status = 'sent';
create index payouts_by_status on payouts (status, created_at);
create index payouts_by_end_to_end_id on payouts (end_to_end_id);
create index payouts_by_customer on payouts (customer_id);
create index payouts_refunded on payouts (customer_id) where refunds > 0;
create index payouts_of_parts on payouts (customer_id) where order_id is null;

-- Every payment that a rail was asked to make, for ever: a bank may speak of one long after the next was made.
create table payout_attempts (
  payout_id text not null,
  attempt smallint not null check (attempt > 0),
  end_to_end_id text not null constraint payout_attempts_end_to_end_id_unique unique,
  rail text not null,
  bank_id text,
  -- asked: nobody knows · the rest as for payouts
  status text not null default 'asked' check (status in ('asked', 'sent', 'paid', 'rejected', 'returned')),
  -- Sent or paid although the payout was settled otherwise.
  is_extra boolean not null default false,
  -- How often the rail has said that it has the payment.
  times_sent smallint not null default 0,
  rail_reference text,
  -- From which account of the issuer it was paid and to which it came back (a rail, as long as only the rail has said so), and where a
  -- statement shows both.
  paid_from text,
  paid_reference text,
  returned_to text,
  returned_reference text,
  -- A line of a statement belongs to it as its debit: the bank itself shows that it was paid.
  is_shown boolean not null default false,
  -- People have said last that it was never made, and no rail: what its rail says of it decides nothing about the next one.
  is_called_unpaid boolean not null default false,
  reason text,
  asked_at timestamptz not null default now(),
  -- The timeline of the database on which it was first asked for. Another one than that of the payout: what was lost may have done so before.
  asked_on text not null default database_timeline(),
  updated_at timestamptz not null default now(),
  primary key (payout_id, attempt),
  constraint payout_attempts_extra_left check (not is_extra or status in ('sent', 'paid'))
);
create index payout_attempts_extra on payout_attempts (payout_id) where is_extra;
create index payout_attempts_asked on payout_attempts (asked_on, asked_at);
create index payout_attempts_unshown on payout_attempts (asked_at) where status = 'paid' and not is_shown;

-- Every function names its search_path: whoever may make temporary tables could otherwise put an empty one in the place of one
-- that a guard reads.

-- Guards: whatever changes an order or a batch must be a move of src/orders/life/states.ts. Tests compare them. They look
-- after the change, because a trigger before it would lock each row first, which is written to the log too.

-- Whether a process of this group does it; or the owner of the table, who could drop the guards too.
create function acts_as(of_group text, changed oid) returns boolean language sql stable
  return exists (select from pg_roles where rolname = of_group and pg_has_role(current_user, oid, 'member'))
    or pg_has_role(current_user, (select c.relowner from pg_class c where c.oid = changed), 'member');

-- Who takes a lease raises its token by one, and has it for minutes: otherwise somebody with the login of any process could keep one for
-- years, or let nobody raise its token any more, and only the owner of the tables could have a chain settled again.
create function guard_lease() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if (new.lasts > interval '15 minutes' or new.token - coalesce(old.token, 0) not in (1, case when tg_op = 'UPDATE' then 0 else 1 end))
      and not acts_as('', tg_relid) then
    raise exception 'lease % would not end', new.name using errcode = 'check_violation', constraint = 'leases_end';
  end if;
  return null;
end
$$;
create trigger leases_end after insert or update on leases for each row execute function guard_lease();

-- Whether the chain denies the burn of an order, as a payer has seen it with nodes of its own: no rail was asked to pay for it.
create function is_unburnt(redeem bigint) returns boolean language sql stable
  return exists (select from payouts p where p.order_id = redeem and (p.status, p.hold_reason) = ('held', 'burn_not_seen')
    and p.burn is null and (p.times_asked, p.refunds, p.by_hand) = (0, 0, 0)
    and not exists (select from payout_attempts a where a.payout_id = p.payout_id));

create function is_lost_chain(chain bigint) returns boolean language sql stable
  return exists (select from lost_chains l where l.chain_id = chain);

-- Whether a chain is lost, and that it is not called so before the transaction ends: what was judged by it and not ended yet would come after two people had looked
-- at what stays owed. In a transaction that sees what was, nobody knows.
create function stays_or_is_lost(chain text) returns boolean language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('a lost chain ' || chain, 0));
  return current_setting('transaction_isolation') <> 'read committed' or exists (select from lost_chains l where l.chain_id::text = chain);
end
$$;

-- Only a chain that no settler has seen anything of for a day is called lost; and found again is one of which everything is read anew, and that counts as seen:
-- called lost again within the second, it would have been booked on meanwhile as on any other.
create function guard_lost_chain() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    perform pg_advisory_xact_lock(hashtextextended('a lost chain ' || new.chain_id, 0));
  end if;
  if is_owners(tg_relid) or acts_as('stablecoin_operator', tg_relid) and (case tg_op
      when 'INSERT' then (select c.observed_at < now() - interval '1 day' from chains c where c.chain_id = new.chain_id)
      when 'DELETE' then (select c.fenced_on is null and c.observed_at = now() and now() > clock_timestamp() - interval '1 hour'
          from chains c where c.chain_id = old.chain_id)
        and not exists (select from settlement_holds h where h.chain_id = old.chain_id and h.history_read_on is not null)
      else false end) then
    return null;
  end if;
  raise exception 'chain % is not lost, or not found, in this way', coalesce(new.chain_id, old.chain_id)
    using errcode = 'check_violation', constraint = 'lost_chains_guarded';
end
$$;
create trigger lost_chains_guarded after insert or update or delete on lost_chains for each row execute function guard_lost_chain();

-- When a chain was last seen decides whether it may be called lost: whoever writes it has seen it now, and not when a long transaction began.
create function guard_seen_chain() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.observed_at = now() and now() > clock_timestamp() - interval '1 hour' or is_owners(tg_relid) then
    return null;
  end if;
  raise exception 'chain % is seen now, or not at all', new.chain_id using errcode = 'check_violation', constraint = 'chains_seen_now';
end
$$;
create trigger chains_seen_now after update on chains for each row
  when (new.observed_at is distinct from old.observed_at) execute function guard_seen_chain();

-- Only settlers know that a chain is read, or fenced. Whoever finds one makes it unknown again, and may do no more: with what a lost history may
-- have settled, other chains would sign it once more.
create function guard_known_chain() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if acts_as('stablecoin_settler', tg_relid) then
    return null;
  end if;
  raise exception 'only a settler knows what of chain % is read and fenced', new.chain_id
    using errcode = 'check_violation', constraint = 'chains_known';
end
$$;
create trigger chains_known after update on chains for each row
  when (new.fenced_on is not null and new.fenced_on is distinct from old.fenced_on) execute function guard_known_chain();
create trigger settlement_holds_known after update on settlement_holds for each row
  when (new.history_read_on is not null and new.history_read_on is distinct from old.history_read_on)
  execute function guard_known_chain();

create function guard_order() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if old.status in ('completed', 'failed', 'cancelled') then
    raise exception 'order % has ended', old.order_id using errcode = 'check_violation', constraint = 'orders_ended';
  end if;
  if (new.order_id, new.integration_id, new.reference_id, new.direction, new.chain_id, new.network, new.token_address,
      new.wallet_address, new.debit_address, new.customer_id, new.key_id, new.amount_micro, new.fee_micro,
      new.bank_reference, new.created_at)
    is distinct from (old.order_id, old.integration_id, old.reference_id, old.direction, old.chain_id, old.network,
      old.token_address, old.wallet_address, old.debit_address, old.customer_id, old.key_id, old.amount_micro, old.fee_micro,
      old.bank_reference, old.created_at) then
    raise exception 'order % was accepted with other details', old.order_id
      using errcode = 'check_violation', constraint = 'orders_as_accepted';
  end if;
  if new.is_held <> old.is_held then
    if is_owners(tg_relid) and (old.status, new.status) = ('pending', 'pending')
        and (new.updated_at, new.mint_cap_key_id, new.mint_cap_day) is not distinct from (old.updated_at, old.mint_cap_key_id, old.mint_cap_day) then
      return null;
    end if;
    raise exception 'order % is held where order_holds has it', old.order_id
      using errcode = 'check_violation', constraint = 'orders_held_as_said';
  end if;
  if (old.status, new.status) in (('payment_pending', 'pending'), ('payment_pending', 'cancelled')) then
    -- Its partner alone says whether it was paid, and partners speak to no other process.
    if exists (select from pg_roles where rolname = 'stablecoin_api' and pg_has_role(current_user, oid, 'member')) or is_owners(tg_relid) then
      return null;
    end if;
    raise exception 'order % awaits the word of its partner', old.order_id
      using errcode = 'check_violation', constraint = 'orders_partners_word';
  end if;
  if (old.mint_cap_key_id, old.mint_cap_day) is distinct from (new.mint_cap_key_id, new.mint_cap_day) then
    raise exception 'order % counts where it was confirmed', old.order_id
      using errcode = 'check_violation', constraint = 'orders_as_confirmed';
  end if;
  if old.status in ('payment_pending', 'pending') and new.batch_id is not null then
    -- Out of its batch, because that is final; its line goes with it. What was burnt goes on to its payout.
    delete from signed_orders s using batches b
      where s.order_id = old.order_id and b.chain_id = old.chain_id and b.batch_id = s.batch_id and b.status = 'final'
        and (new.batch_id, new.batch_index, new.tx_hash, new.block_number) = (s.batch_id, s.batch_index, decode(substr(b.tx_hash, 3), 'hex'), b.mined_block)
        and (new.status in ('processing', 'failed') or (new.status = 'completed' and new.direction <> 'REDEEM'));
    if found then
      return null;
    end if;
  elsif old.status = 'pending' and new.status = 'failed' then
    -- Rejected: it was never signed, or none of the batches that it was in can be executed any more, as on a chain that is gone.
    delete from signed_orders s using batches b
      where s.order_id = old.order_id and s.batch_id is null and b.chain_id = old.chain_id and b.batch_id = s.abandoned_batch_id
        and (b.status = 'final' or is_lost_chain(old.chain_id));
    if not exists (select from signed_orders s where s.order_id = old.order_id) then
      return null;
    end if;
  end if;
  if old.status = 'processing' and (new.batch_id, new.batch_index, new.tx_hash, new.block_number)
      = (old.batch_id, old.batch_index, old.tx_hash, old.block_number) then
    -- What was burnt is paid: it never fails once it has a payout, unless that was refunded, and never completes without one that the rail has, unless
    -- it is less than a sen.
    if new.status = 'completed'
        and (exists (select from payouts p where p.order_id = old.order_id and p.status in ('sent', 'paid', 'paid_by_hand'))
        or (old.amount_micro < 10000 and not exists (select from payouts p where p.order_id = old.order_id))) then
      return null;
    end if;
    if new.status = 'failed'
        and exists (select from payouts p where p.order_id = old.order_id and p.status = 'refunded') then
      return null;
    end if;
  end if;
  if old.status = 'processing' and new.status = 'pending' and exists (select from signed_orders s
      where s.order_id = old.order_id and s.batch_id is null) and acts_as('stablecoin_operator', tg_relid) then
    -- It was never burnt, as a payer has seen: it awaits a batch again.
    return null;
  end if;
  raise exception 'order % may not go from % to % now', old.order_id, old.status, new.status
    using errcode = 'check_violation', constraint = 'orders_move_exists';
end
$$;
create trigger orders_guard after update on orders for each row execute function guard_order();

-- The owner of the tables could drop the guards too: an order that is put in by hand, as after a loss, is theirs to put in.
create function is_owners(changed oid) returns boolean language sql stable
  return pg_has_role(current_user, (select c.relowner from pg_class c where c.oid = changed), 'member');

-- Acceptance is the hot path: the condition lets every order that begins pass without a call.
create function guard_new_order() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not is_owners(tg_relid) then
    raise exception 'order % does not begin as %', new.order_id, new.status
      using errcode = 'check_violation', constraint = 'orders_begin';
  end if;
  return null;
end
$$;
create trigger orders_begin after insert on orders for each row
  when (new.status not in ('payment_pending', 'pending') or new.is_held) execute function guard_new_order();

-- One after the other, so that each sees those before it; in a transaction that sees what was, nobody does.
create function is_in_turn(what text) returns boolean language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('in turn ' || what, 0));
  return current_setting('transaction_isolation') = 'read committed';
end
$$;

-- An order of the house mints back what was burnt for a payout, once operators have said so, who alone count its refunds; another one only when those
-- before it have failed. It is no partner's: no cap and no reserve would stop any other.
create function guard_house_order() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  in_turn boolean;
begin
  if is_owners(tg_relid) then
    return null;
  end if;
  in_turn := is_in_turn(split_part(new.reference_id, '/', 1));
  if not in_turn or not exists (
      select from payouts p join orders o on o.order_id = p.order_id
      where p.payout_id = split_part(new.reference_id, '/', 1) and p.status in ('rejected', 'returned') and p.refunds > 0
        and new.reference_id = p.payout_id || case when p.refunds > 1 then '/' || p.refunds else '' end
        and (new.direction, new.status, new.chain_id, new.wallet_address, new.customer_id)
          = ('MINT', 'pending', o.chain_id, o.wallet_address, o.customer_id)
        and new.amount_micro <= o.amount_micro and not is_lost_chain(new.chain_id)
        and not exists (select from generate_series(1, p.refunds - 1) n cross join lateral (select status from orders
          where integration_id = 'refunds' and reference_id = p.payout_id || case when n > 1 then '/' || n else '' end limit 1) r
          where r.status <> 'failed')) then
    raise exception 'order % of the house refunds no payout', new.order_id
      using errcode = 'check_violation', constraint = 'orders_of_house_begin';
  end if;
  return null;
end
$$;
create trigger orders_of_house_begin after insert on orders for each row
  when (new.integration_id = 'refunds') execute function guard_house_order();

-- Lost is what was completed, or seen to be burnt, by a batch that operators have had given up; or what the chain has refused when it executed one of
-- ours again, as a settler has seen and operators have said. Then what had failed may have been executed, too.
create function guard_lost_order() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not is_owners(tg_relid) and not exists (
      select from batches b join orders o on o.order_id = new.order_id
      where b.chain_id = new.chain_id and b.batch_id = new.batch_id and o.chain_id = b.chain_id
        and case when new.executed then o.status = 'failed' and o.failure_reason is distinct from 'refunded'
          else o.status = 'completed' or o.direction = 'REDEEM' and o.status in ('processing', 'failed')
            and exists (select from payouts p where p.order_id = o.order_id and p.burn is not null) end
        and case b.status
          when 'abandoned' then not new.executed and (new.order_id = any (b.order_ids) and o.batch_id = b.batch_id
            or b.is_foreign and exists (select from foreign_instructions i
              where i.chain_id = b.chain_id and i.batch_id = b.batch_id and i.order_id = new.order_id and i.succeeded))
          when 'final' then b.order_ids[o.batch_index + 1] = new.order_id and o.batch_id = b.batch_id and exists (select from batch_outcomes s
            where s.chain_id = b.chain_id and s.batch_id = b.batch_id and s.explained_at is not null
              and new.executed = (o.batch_index = any (s.executed)))
          else false end
        and new.remint is null and new.closed_at is null and not new.undone and new.turns = 0) then
    raise exception 'order % was not lost with batch %', new.order_id, new.batch_id
      using errcode = 'check_violation', constraint = 'lost_orders_begin';
  end if;
  return null;
end
$$;
create trigger lost_orders_begin after insert on lost_orders for each row execute function guard_lost_order();

-- Settlers write what they have seen of a final batch of ours, and operators that they say so, too: neither can have coin minted by that alone. Of a
-- chain that is gone for good nobody sees anything any more, and what was seen before counts.
create function guard_batch_outcome() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not is_owners(tg_relid) and (not exists (
      select from batches b where b.chain_id = new.chain_id and b.batch_id = new.batch_id and b.status = 'final' and not b.is_foreign
        and cardinality(b.order_ids) > 0 and 0 <= all (new.executed) and cardinality(b.order_ids) > all (new.executed))
      or new.explained_at is not null and not (acts_as('stablecoin_operator', tg_relid) and tg_op = 'UPDATE' and new.executed = old.executed)
      or tg_op = 'INSERT' and new.beside <> '{}'
      or is_lost_chain(new.chain_id) and (tg_op = 'INSERT' or new.executed <> old.executed)) then
    raise exception 'batch % has no such outcome', new.batch_id using errcode = 'check_violation', constraint = 'batch_outcomes_seen';
  end if;
  return null;
end
$$;
create trigger batch_outcomes_seen after insert or update on batch_outcomes for each row execute function guard_batch_outcome();

-- What was known of a chain when it was called lost is all that says what is owed there: only operators, who explain it or make it good, change it.
create function guard_kept_on_lost() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not acts_as('stablecoin_operator', tg_relid) and stays_or_is_lost(old.chain_id::text) then
    raise exception 'chain % is lost, and nothing is seen of it', old.chain_id
      using errcode = 'check_violation', constraint = tg_table_name || '_of_lost';
  end if;
  return null;
end
$$;
create trigger batch_outcomes_of_lost after update or delete on batch_outcomes for each row execute function guard_kept_on_lost();
create trigger lost_orders_of_lost after update or delete on lost_orders for each row execute function guard_kept_on_lost();

-- What the books have of a batch is not forgotten while it is final: it would be booked once more when that is explained anew.
create function guard_gone_outcome() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from batches b where (b.chain_id, b.batch_id, b.status) = (old.chain_id, old.batch_id, 'final')) and not is_owners(tg_relid) then
    raise exception 'the books have batch %', old.batch_id using errcode = 'check_violation', constraint = 'batch_outcomes_go';
  end if;
  return null;
end
$$;
create constraint trigger batch_outcomes_go after delete on batch_outcomes deferrable initially deferred
  for each row when (old.beside <> '{}') execute function guard_gone_outcome();

-- As `orderTag` makes it (src/values/order-tag.ts) of an order that is no remint: the first 8 bytes of keccak-256.
create function order_tag_of(integration text, reference text) returns text
  language plpgsql immutable strict set search_path = pg_catalog, public, pg_temp as $$
declare
  constants constant text[] := '{0000000000000001,0000000000008082,800000000000808a,8000000080008000,000000000000808b,0000000080000001,8000000080008081,8000000000008009,
    000000000000008a,0000000000000088,0000000080008009,000000008000000a,000000008000808b,800000000000008b,8000000000008089,8000000000008003,8000000000008002,
    8000000000000080,000000000000800a,800000008000000a,8000000080008081,8000000000008080,0000000080000001,8000000080008008}';
  turns constant integer[] := '{0,1,62,28,27,36,44,6,55,20,3,10,43,25,39,41,45,15,21,8,18,2,61,56,14}';
  given bytea := case when integration = 'refunds' then ''::bytea else convert_to(integration, 'UTF8') || '\x00' end || convert_to(reference, 'UTF8');
  lanes bigint[] := array_fill(0::bigint, array[25]);
  moved bigint[] := array_fill(0::bigint, array[25]);
  sums bigint[] := array_fill(0::bigint, array[5]);
  lane bigint;
  turn integer;
begin
  turn := 135 - length(given) % 136;
  given := given || decode(case turn when 0 then '81' else '01' || repeat('00', turn - 1) || '80' end, 'hex');
  for block in 0 .. length(given) / 136 - 1 loop
    for i in 0 .. 16 loop
      lane := 0;
      for byte in reverse 7 .. 0 loop
        lane := (lane << 8) | get_byte(given, 136 * block + 8 * i + byte);
      end loop;
      lanes[i + 1] := lanes[i + 1] # lane;
    end loop;
    for round in 1 .. 24 loop
      for x in 1 .. 5 loop
        sums[x] := lanes[x] # lanes[x + 5] # lanes[x + 10] # lanes[x + 15] # lanes[x + 20];
      end loop;
      for i in 0 .. 24 loop
        lane := sums[(i + 1) % 5 + 1];
        lane := lanes[i + 1] # sums[(i + 4) % 5 + 1] # ((lane << 1) | ((lane >> 63) & 1));
        turn := turns[i + 1];
        if turn > 0 then
          lane := (lane << turn) | ((lane >> (64 - turn)) & ((1::bigint << turn) - 1));
        end if;
        moved[i / 5 + 5 * ((2 * (i % 5) + 3 * (i / 5)) % 5) + 1] := lane;
      end loop;
      for i in 0 .. 24 loop
        lanes[i + 1] := moved[i + 1] # (~ moved[i - i % 5 + (i + 1) % 5 + 1] & moved[i - i % 5 + (i + 2) % 5 + 1]);
      end loop;
      lanes[1] := lanes[1] # ('x' || constants[round])::bit(64)::bigint;
    end loop;
  end loop;
  return '0x' || (select string_agg(lpad(to_hex((lanes[1] >> (8 * n)) & 255), 2, '0'), '' order by n) from generate_series(0, 7) n);
end
$$;

-- The other kind of order of the house mints again what the chain has lost of a mint, or back what it has burnt of a redeem that had failed, once
-- operators have said so, under the tag of what was lost; another one only when those before it have failed, or are lost, too.
create function guard_remint() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  in_turn boolean;
begin
  if is_owners(tg_relid) then
    return null;
  end if;
  in_turn := is_in_turn(split_part(new.reference_id, '/', 1));
  if not in_turn or not exists (
      select from lost_orders l join orders o on o.order_id = l.order_id
      where l.remint = new.reference_id and l.closed_at is null and not l.undone
        and o.integration_id <> 'remints' and split_part(new.reference_id, '/', 1) = order_tag_of(o.integration_id, o.reference_id)
        and (o.direction, o.status, l.executed) in (('MINT', 'completed', false), ('REDEEM', 'failed', true))
        and (new.direction, new.status, new.chain_id, new.wallet_address, new.customer_id, new.amount_micro, new.fee_micro)
          = ('MINT', 'pending', o.chain_id, o.wallet_address, o.customer_id, o.amount_micro, 0)
        and not is_lost_chain(new.chain_id))
      or exists (select from orders r where r.integration_id = 'remints' and split_part(r.reference_id, '/', 1) = split_part(new.reference_id, '/', 1)
        and r.order_id <> new.order_id and r.status <> 'failed'
        and not exists (select from lost_orders g where g.order_id = r.order_id and not g.executed and not g.undone)) then
    raise exception 'order % of the house mints nothing again that was lost', new.order_id
      using errcode = 'check_violation', constraint = 'remints_begin';
  end if;
  return null;
end
$$;
create trigger remints_begin after insert on orders for each row
  when (new.integration_id = 'remints') execute function guard_remint();

-- Into signed_orders: with a signed batch that lists the order, or with one of others that has settled it; or without, because it was
-- called burnt and is not. Out of its batch: when
-- that was abandoned. Away: when the order's own row says how it went on.
create function guard_signed_orders() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  moved bigint;
begin
  if tg_op = 'DELETE' then
    select g.order_id into moved from gone g
    cross join lateral (select status from orders where order_id = g.order_id limit 1) o
    where o.status in ('payment_pending', 'pending') limit 1;
  else
    if tg_op = 'UPDATE' then
      select a.order_id into moved from added a left join gone g on g.order_id = a.order_id
      left join lateral (select chain_id from orders where order_id = g.order_id limit 1) o on true
      left join lateral (select status from batches where chain_id = o.chain_id and batch_id = g.batch_id limit 1) b on true
      where g.order_id is null or (a.batch_id is null) = (g.batch_id is null)
        or (a.batch_id is null and b.status is distinct from 'abandoned')
        or a.abandoned_batch_id is distinct from
          case when a.batch_id is null then greatest(g.batch_id, g.abandoned_batch_id) else g.abandoned_batch_id end limit 1;
    end if;
    if moved is null then
      select a.order_id into moved from added a
      left join lateral (select chain_id, status from orders where order_id = a.order_id limit 1) o on true
      left join lateral (
        select status, is_foreign, order_ids from batches where chain_id = o.chain_id and batch_id = a.batch_id limit 1) b on true
      where (a.batch_id is not null or tg_op = 'INSERT') and not coalesce(case
          when a.batch_id is null then o.status = 'processing' and is_unburnt(a.order_id)
          when b.status = 'signed' then o.status = 'pending' and b.order_ids[a.batch_index + 1] = a.order_id
            and not exists (select from order_holds h where h.order_id = a.order_id)
          when b.status = 'final' then b.is_foreign and o.status in ('payment_pending', 'pending')
        end, false) limit 1;
    end if;
  end if;
  if moved is not null then
    raise exception 'order % does not belong there', moved
      using errcode = 'check_violation', constraint = 'signed_orders_move_exists';
  end if;
  return null;
end
$$;
create trigger signed_orders_come after insert on signed_orders referencing new table as added
  for each statement execute function guard_signed_orders();
create trigger signed_orders_change after update on signed_orders referencing old table as gone new table as added
  for each statement execute function guard_signed_orders();
create trigger signed_orders_go after delete on signed_orders referencing old table as gone
  for each statement execute function guard_signed_orders();

create function guard_order_hold() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from orders o where o.order_id = new.order_id and o.status = 'pending')
      and not exists (select from signed_orders s where s.order_id = new.order_id and s.batch_id is not null) then
    return null;
  end if;
  raise exception 'order % cannot be held', new.order_id
    using errcode = 'check_violation', constraint = 'order_holds_in_no_batch';
end
$$;
create trigger order_holds_guard after insert or update on order_holds for each row execute function guard_order_hold();

-- The order's row says it too, and this alone writes it there: guard_order refuses everybody but the owner. Whoever holds an order once more marks it, too:
-- a restore of one table may have lost the mark.
create function note_held() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'DELETE' or old.order_id <> new.order_id then
    update orders set is_held = false where order_id = old.order_id and status = 'pending' and is_held;
  end if;
  if tg_op <> 'DELETE' then
    update orders set is_held = true where order_id = new.order_id and status = 'pending' and not is_held;
  end if;
  return null;
end
$$;
create trigger order_holds_noted after insert or delete or update on order_holds for each row execute function note_held();

-- What operators hold they let go, in twos; or it has ended, or is in a batch of others that has settled it.
create function guard_gone_hold() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from orders o where o.order_id = old.order_id and o.status = 'pending')
      and not exists (select from signed_orders s where s.order_id = old.order_id and s.batch_id is not null)
      and not acts_as('stablecoin_operator', tg_relid) then
    raise exception 'order % is held', old.order_id using errcode = 'check_violation', constraint = 'order_holds_go';
  end if;
  return null;
end
$$;
create constraint trigger order_holds_go after delete on order_holds deferrable initially deferred
  for each row execute function guard_gone_hold();

create function guard_batch() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if (new.chain_id, new.batch_id) <> (old.chain_id, old.batch_id)
      or ((new.order_ids, new.fence_tag) is distinct from (old.order_ids, old.fence_tag) and old.status <> 'abandoned')
      -- Its orders must have left it before its id is taken again.
      or (old.status = 'abandoned' and new.status <> 'abandoned' and exists (
        select from unnest(old.order_ids) as l (order_id) join signed_orders s using (order_id) where s.batch_id = old.batch_id)) then
    raise exception 'batch % was formed with other details', old.batch_id
      using errcode = 'check_violation', constraint = 'batches_as_formed';
  end if;
  if old.status <> 'abandoned' and (new.created_at, new.signed_on) <> (old.created_at, old.signed_on) and not is_owners(tg_relid) then
    raise exception 'batch % was formed at another time', old.batch_id
      using errcode = 'check_violation', constraint = 'batches_as_formed';
  end if;
  if (old.status, new.status) = ('final', 'abandoned') then
    -- The chain never had it: nothing follows it here, and no order waits for its payout by it.
    if not old.is_foreign and new.taken_back = old.taken_back + 1 and acts_as('stablecoin_operator', tg_relid)
        and old.batch_id >= (select c.next_batch_id from chains c where c.chain_id = old.chain_id)
        and not exists (select from unnest(old.order_ids) as l (order_id) cross join lateral (
          select from orders where order_id = l.order_id and status = 'processing' and batch_id = old.batch_id) o) then
      return null;
    end if;
    -- The chain has lost it, or one before it, as operators have said.
    if new.taken_back = old.taken_back + 1 and acts_as('stablecoin_settler', tg_relid)
        and exists (select from batch_explanations e
          where e.chain_id = old.chain_id and e.batch_id <= old.batch_id and e.gives_up) then
      return null;
    end if;
  elsif new.taken_back <> old.taken_back or not acts_as('stablecoin_settler', tg_relid) then
    null;
  elsif old.status = 'final' and (new.digest, new.running_hash, new.mined_block, new.success_bitmap, new.is_foreign)
      is distinct from (old.digest, old.running_hash, old.mined_block, old.success_bitmap, old.is_foreign) and not is_owners(tg_relid) then
    null;
  elsif old.status = new.status or (old.status, new.status) in
      (('signed', 'mined'), ('mined', 'signed'), ('mined', 'final'), ('signed', 'abandoned'),
      -- The id is taken again, by another batch of ours or of others.
      ('abandoned', 'signed'), ('abandoned', 'final')) then
    return null;
  end if;
  raise exception 'batch % may not go from % to %', old.batch_id, old.status, new.status
    using errcode = 'check_violation', constraint = 'batches_move_exists';
end
$$;
create trigger batches_guard after update on batches for each row execute function guard_batch();

-- Nothing is seen of a chain that is gone: a redeem that waits there would be burnt by what somebody writes.
create function guard_seen_batch() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if (tg_op = 'INSERT' or new.status <> old.status) and not is_owners(tg_relid) and stays_or_is_lost(new.chain_id::text) then
    raise exception 'chain % is lost, and nothing is seen of it', new.chain_id using errcode = 'check_violation', constraint = 'batches_seen_on_no_lost_chain';
  end if;
  return null;
end
$$;
create trigger batches_seen_on_no_lost_chain after insert or update on batches for each row
  when (new.status in ('mined', 'final')) execute function guard_seen_batch();

-- Nor is what others had moved there written otherwise: an order that had waited, and whose tag it has, takes its outcome, and that is all. Of what was minted the
-- books have it from then on.
create function guard_others_on_lost() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if acts_as('stablecoin_operator', tg_relid) or not stays_or_is_lost(coalesce(new.chain_id, old.chain_id)::text) then
    return null;
  end if;
  if tg_op = 'UPDATE' then
    if old.order_id is null and exists (select from orders o join batches b on (b.chain_id, b.batch_id) = (o.chain_id, o.batch_id)
          left join payouts p on o.integration_id = 'refunds' and p.payout_id = split_part(o.reference_id, '/', 1) left join orders r on r.order_id = p.order_id
        where o.order_id = new.order_id and (o.chain_id, o.batch_id, o.batch_index, o.direction) = (new.chain_id, new.batch_id, new.instruction_index, new.direction)
          and new.succeeded = (o.status <> 'failed') and new.succeeded = (div(b.success_bitmap, 2::numeric ^ new.instruction_index) % 2 = 1)
          -- As `judge` compares them (src/settlement/form/settled-tags.ts): a refund takes what has minted back under the tag of its redeem, too, or under any name
          -- of a refund of its payout, but for parts of a sen; not where it was to mint less, of which alone the books have something then.
          and (new.amount_micro = o.amount_micro and new.tag = case o.integration_id when 'remints' then left(o.reference_id, 18)
              else order_tag_of(o.integration_id, o.reference_id) end
            or o.amount_micro >= least(r.amount_micro, p.amount_sen * 10000) - 9999 and (
              new.amount_micro = r.amount_micro and new.tag = order_tag_of(r.integration_id, r.reference_id)
              or new.amount_micro between least(r.amount_micro, p.amount_sen * 10000) - 9999 and r.amount_micro and exists (
                select from generate_series(1, p.refunds + 5) n where new.tag = order_tag_of('refunds', p.payout_id || case when n > 1 then '/' || n else '' end))))
          and (not new.succeeded or new.direction <> 'MINT' or o.integration_id = 'remints' or exists (
            select from (select case o.integration_id when 'refunds' then 'payout/' || p.payout_id || '/refunded/' || o.reference_id else 'batch/' || b.chain_id || '/'
                || b.batch_id || case when b.taken_back > 0 then '/again/' || b.taken_back else '' end || '/' || o.batch_index || '/' || o.integration_id end as name) n
              join ledger_entries e on e.reference >= n.name and e.reference < n.name || '0' and split_part(e.reference, '/taken/', 1) = n.name
            where (select sum(l.amount) from unnest(e.accounts, e.amounts_micro) as l (account, amount) where l.account = 'coins:' || o.chain_id) <= -o.amount_micro
              and (exists (select from ledger_seals s where s.entry_id = e.entry_id) or exists (select from ledger_unsealed u where u.entry_id = e.entry_id))))) then
      return null;
    end if;
  end if;
  raise exception 'chain % is lost, and nothing is seen of it', coalesce(new.chain_id, old.chain_id)
    using errcode = 'check_violation', constraint = tg_table_name || '_of_lost';
end
$$;
create constraint trigger foreign_instructions_of_lost after insert or update or delete on foreign_instructions deferrable initially deferred
  for each row execute function guard_others_on_lost();
create constraint trigger foreign_movements_of_lost after insert on foreign_movements deferrable initially deferred
  for each row when (new.kind = 'supply') execute function guard_others_on_lost();

-- What a foreign batch has settled is forgotten only once the batch was given up: by its tag an order could be settled again.
create function guard_gone_instruction() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from batches where chain_id = old.chain_id and batch_id = old.batch_id and status <> 'abandoned')
      and not is_owners(tg_relid) then
    raise exception 'batch % has settled that', old.batch_id
      using errcode = 'check_violation', constraint = 'foreign_instructions_go';
  end if;
  return old;
end
$$;
create trigger foreign_instructions_go before delete on foreign_instructions
  for each row execute function guard_gone_instruction();

-- An order waits only for what others have settled, perhaps on another chain: operators end that by explaining their batch, and no other wait.
create function guard_tag_conflict() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not (exists (select from orders o where o.order_id = new.order_id)
      and exists (select from foreign_instructions i where i.tag = new.tag and i.chain_id + 0 = new.chain_id)) and not is_owners(tg_relid) then
    raise exception 'nobody has settled order %', new.order_id using errcode = 'check_violation', constraint = 'tag_conflicts_settled';
  end if;
  return null;
end
$$;
create constraint trigger tag_conflicts_settled after insert on tag_conflicts deferrable initially deferred
  for each row execute function guard_tag_conflict();

-- By the end of its transaction every order of a signed batch is in signed_orders with it, so that no other batch takes it. On a chain that is
-- gone none is signed.
create function guard_signed_batch() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if is_lost_chain(new.chain_id) and exists (
      select from batches b where (b.chain_id, b.batch_id, b.status) = (new.chain_id, new.batch_id, 'signed')) then
    raise exception 'chain % is lost', new.chain_id using errcode = 'check_violation', constraint = 'batches_on_no_lost_chain';
  end if;
  if exists (
      select from batches b cross join lateral unnest(b.order_ids) as l (order_id)
      cross join lateral (select status from orders where order_id = l.order_id limit 1) o
      where b.chain_id = new.chain_id and b.batch_id = new.batch_id and b.status = 'signed'
        and not exists (select from signed_orders s where s.order_id = l.order_id and s.batch_id = b.batch_id)) then
    raise exception 'batch % has orders that are not signed with it', new.batch_id
      using errcode = 'check_violation', constraint = 'batches_orders_signed';
  end if;
  return null;
end
$$;
create constraint trigger batches_orders_signed after insert or update on batches deferrable initially deferred
  for each row when (new.status = 'signed') execute function guard_signed_batch();

-- As `endToEndIdOf` makes it (src/bank-files/end-to-end-id.ts).
create function end_to_end_id_of(integration text, reference text, attempt integer) returns text
  language plpgsql immutable set search_path = pg_catalog, public, pg_temp as $$
declare
  -- 36 to the power of 12.
  names constant numeric := 4738381338321616896;
  digest constant bytea := sha256(convert_to(integration, 'UTF8') || '\x00' || convert_to(reference, 'UTF8') || '\x00' || convert_to(attempt::text, 'UTF8'));
  rest numeric := 0;
  id text := '';
begin
  for place in 0..15 loop
    rest := mod(rest * 256 + get_byte(digest, place), names);
  end loop;
  for place in 1..12 loop
    id := substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', mod(rest, 36)::integer + 1, 1) || id;
    rest := div(rest, 36);
  end loop;
  return id;
end
$$;

-- Of the attempt that a payout is in. Under another one's id no rail could be asked about either.
create function end_to_end_id_of_payout(p payouts) returns text language sql stable
  return (select end_to_end_id_of(coalesce(o.integration_id, 'residuals'), coalesce(o.reference_id, p.reference_id), p.attempt)
    from (select) one left join orders o on o.order_id = p.order_id);

-- A payout makes only the moves of src/payouts/moves.ts. Its order and amount never change; its bank account and its rail, once
-- known, only with its attempt.
create function guard_payout() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if (new.payout_id, new.order_id, new.integration_id, new.chain_id, new.reference_id, new.customer_id, new.amount_sen, new.created_at)
      is distinct from (old.payout_id, old.order_id, old.integration_id, old.chain_id, old.reference_id, old.customer_id, old.amount_sen,
        old.created_at) then
    raise exception 'payout % was queued with other details', old.payout_id
      using errcode = 'check_violation', constraint = 'payouts_as_queued';
  end if;
  if (old.burn is not null and old.burn is distinct from new.burn)
      or (new.times_asked > old.times_asked and new.burn is null and new.order_id is not null) then
    raise exception 'payout % is asked for once its burn was seen', old.payout_id
      using errcode = 'check_violation', constraint = 'payouts_burn_seen';
  end if;
  -- Its redeem may await a batch again by that: nobody says so but who has asked the chain.
  if new.hold_reason = 'burn_not_seen' and old.hold_reason is distinct from new.hold_reason
      and not acts_as('stablecoin_payer', tg_relid) then
    raise exception 'payout % is held for its burn by payers alone', old.payout_id
      using errcode = 'check_violation', constraint = 'payouts_denied_by_payer';
  end if;
  if old.status <> new.status and (old.status, new.status) not in
      (('queued', 'sent'), ('queued', 'rejected'), ('queued', 'held'), ('held', 'queued'),
      ('sent', 'paid'), ('sent', 'rejected'), ('sent', 'returned'), ('paid', 'sent'), ('paid', 'rejected'), ('paid', 'returned'),
      ('rejected', 'queued'), ('rejected', 'paid_by_hand'), ('rejected', 'refunded'),
      ('returned', 'queued'), ('returned', 'paid_by_hand'), ('returned', 'refunded'), ('paid_by_hand', 'returned')) then
    raise exception 'payout % may not go from % to %', old.payout_id, old.status, new.status
      using errcode = 'check_violation', constraint = 'payouts_move_exists';
  end if;
  -- An account that its customer has given up may be somebody else's by now: only what a rail was asked for before has gone there.
  if new.bank_id is not null and new.bank_id is distinct from old.bank_id
      and not exists (select from customers c where (c.customer_id, c.bank_id) = (new.customer_id, new.bank_id))
      and not exists (select from payout_attempts a
        where (a.payout_id, a.attempt, a.bank_id) = (new.payout_id, new.attempt, new.bank_id)) then
    raise exception 'payout % goes to the account that its customer has', old.payout_id
      using errcode = 'check_violation', constraint = 'payouts_to_present_bank';
  end if;
  -- Only what has left the bank, or never reached it, makes room for another attempt: one that was asked for before, which its rail
  -- carries out once, or one that an operator begins.
  if (old.attempt, old.end_to_end_id) is distinct from (new.attempt, new.end_to_end_id) then
    if new.status = 'queued' and old.status in ('queued', 'rejected', 'returned')
        and not exists (select from payout_attempts a where a.payout_id = old.payout_id and a.attempt = old.attempt
          and a.status in ('asked', 'sent', 'paid')) then
      if (new.retries = old.retries + 1 and (new.end_to_end_id = end_to_end_id_of_payout(new) or is_owners(tg_relid))) or exists (select from payout_attempts a where a.payout_id = old.payout_id
          and (a.attempt, a.end_to_end_id) = (new.attempt, new.end_to_end_id)) then
        return null;
      end if;
      raise exception 'payout % gets another attempt from operators alone', old.payout_id
        using errcode = 'check_violation', constraint = 'payouts_attempt_by_operator';
    end if;
    raise exception 'payout % is in its attempt %', old.payout_id, old.attempt
      using errcode = 'check_violation', constraint = 'payouts_attempt_open';
  end if;
  if (old.rail is distinct from new.rail and old.rail is not null)
      or (old.bank_id is distinct from new.bank_id and old.bank_id is not null) then
    raise exception 'payout % goes to the bank account and the rail that it has', old.payout_id
      using errcode = 'check_violation', constraint = 'payouts_destination_fixed';
  end if;
  return null;
end
$$;
create trigger payouts_guard after update on payouts for each row execute function guard_payout();

-- What operators hold, what waits for an earlier payment, and what has not gone through is paid on by operators alone: nobody else queues it, nor has
-- it held for a reason that ends by itself. By the end of the transaction, because what a bank says of it leads through the queue.
create function guard_payout_let_go() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from payouts p where p.payout_id = new.payout_id
        and (p.status = 'queued' or p.hold_reason in ('rail_not_configured', 'maybe_paid_before')))
      and not acts_as('stablecoin_operator', tg_relid) then
    raise exception 'payout % goes on when operators say so', new.payout_id
      using errcode = 'check_violation', constraint = 'payouts_let_go';
  end if;
  return null;
end
$$;
create constraint trigger payouts_let_go after update on payouts deferrable initially deferred for each row
  when (old.status in ('rejected', 'returned') or old.hold_reason in ('by_operator', 'other_attempt')) execute function guard_payout_let_go();

-- A payout goes only when its redeem awaits a batch again: burnt then, it gets one under the same id.
create function guard_gone_payout() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not (is_unburnt(old.order_id) and exists (select from orders o where o.order_id = old.order_id and o.status = 'pending'))
      and not is_owners(tg_relid) then
    raise exception 'payout % is owed', old.payout_id using errcode = 'check_violation', constraint = 'payouts_go';
  end if;
  return old;
end
$$;
create trigger payouts_go before delete on payouts for each row execute function guard_gone_payout();

-- A payout begins unasked, for a burnt redeem, to its customer, of its amount. What was owed in parts of a sen comes on top: less than
-- a sen, and as much again for each payout whose coin was to be minted back. All payouts of parts alone come to no more than that.
-- The few sen of tolerance are nobody's gain, and a batch that could not be recorded would stop a chain.
create function note_payout_chain() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  new.chain_id := coalesce((select o.chain_id from orders o where o.order_id = new.order_id), new.chain_id);
  return new;
end
$$;
create trigger payouts_note_chain before insert on payouts for each row execute function note_payout_chain();

create function guard_new_payout() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  tolerance_sen constant bigint := 10;
  redeemed_sen bigint := 0;
  paid_sen bigint := new.amount_sen;
begin
  if is_owners(tg_relid) then
    return null;
  end if;
  if new.order_id is null then
    -- One after the other, and each sees those before it: many at the same time came to more.
    perform pg_advisory_xact_lock(hashtextextended('payouts of parts of ' || new.customer_id, 0));
    if current_setting('transaction_isolation') <> 'read committed' then
      redeemed_sen := null;
    end if;
    paid_sen := (select sum(amount_sen) from payouts where customer_id = new.customer_id and order_id is null);
  else
    redeemed_sen := (select o.amount_micro / 10000 from orders o
      where (o.order_id, o.customer_id, o.integration_id) = (new.order_id, new.customer_id, new.integration_id)
        and o.direction = 'REDEEM' and o.status = 'processing');
  end if;
  if (new.status, new.attempt, new.times_asked, new.refunds, new.by_hand, new.retries) <> ('queued', 1, 0, 0, 0, 0)
      -- Nobody claims that of no customer, and it would be the first to be claimed for ever.
      or new.order_id is null and not (acts_as('stablecoin_operator', tg_relid)
        and exists (select from customers c where (c.customer_id, c.integration_id) = (new.customer_id, new.integration_id)))
      or num_nonnulls(new.rail, new.bank_id, new.rail_reference, new.burn) > 0 or redeemed_sen is null
      or (paid_sen > redeemed_sen + tolerance_sen and paid_sen > redeemed_sen + tolerance_sen
        + 2 * (select count(*) from payouts where customer_id = new.customer_id and refunds > 0)) then
    raise exception 'payout % does not begin so', new.payout_id
      using errcode = 'check_violation', constraint = 'payouts_begin';
  end if;
  -- Under a name that is another one's, it would keep the batch from being recorded whose redeem has that, or every other payout from being claimed.
  if new.end_to_end_id <> end_to_end_id_of_payout(new) or new.payout_id <> (
      select 'po_' || left(encode(sha256(convert_to(coalesce(o.integration_id, 'residuals') || '/' || coalesce(o.reference_id, new.reference_id), 'UTF8')), 'hex'), 40)
      from (select) one left join orders o on o.order_id = new.order_id) then
    raise exception 'payout % has the name of another', new.payout_id
      using errcode = 'check_violation', constraint = 'payouts_named';
  end if;
  return null;
end
$$;
create trigger payouts_begin after insert on payouts for each row execute function guard_new_payout();

create function guard_payout_attempt() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if (new.payout_id, new.attempt, new.end_to_end_id, new.rail, new.bank_id, new.asked_at)
      is distinct from (old.payout_id, old.attempt, old.end_to_end_id, old.rail, old.bank_id, old.asked_at) then
    raise exception 'attempt % of payout % was asked for with other details', old.attempt, old.payout_id
      using errcode = 'check_violation', constraint = 'payout_attempts_as_asked';
  end if;
  if old.status <> new.status and (old.status, new.status) not in
      (('asked', 'sent'), ('asked', 'rejected'), ('rejected', 'sent'), ('sent', 'paid'), ('sent', 'rejected'),
      ('sent', 'returned'), ('paid', 'sent'), ('paid', 'rejected'), ('paid', 'returned')) then
    raise exception 'attempt % of payout % may not go from % to %', old.attempt, old.payout_id, old.status, new.status
      using errcode = 'check_violation', constraint = 'payout_attempts_move_exists';
  end if;
  -- A rail may be wrong when it calls something paid; what a statement shows is not.
  if (old.status, new.status) in (('sent', 'rejected'), ('paid', 'rejected')) and exists (select from bank_lines l
      where l.matched_to = old.payout_id || '/' || old.attempt and l.amount_micro < 0) then
    raise exception 'attempt % of payout % is on a statement', old.attempt, old.payout_id
      using errcode = 'check_violation', constraint = 'payout_attempts_shown';
  end if;
  return null;
end
$$;
create trigger payout_attempts_guard after update on payout_attempts for each row execute function guard_payout_attempt();

-- What a rail is asked is what its payout says: none is put beside it, as if it had been asked for.
create function guard_new_payout_attempt() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from payouts p where p.payout_id = new.payout_id
      and (p.attempt, p.end_to_end_id, p.bank_id) is not distinct from (new.attempt, new.end_to_end_id, new.bank_id)) then
    return null;
  end if;
  raise exception 'attempt % of payout % is not the one it is in', new.attempt, new.payout_id
    using errcode = 'check_violation', constraint = 'payout_attempts_begin';
end
$$;
create trigger payout_attempts_begin after insert on payout_attempts for each row execute function guard_new_payout_attempt();

-- The books in double entry: see docs/BOOKS.md. Debits are positive, credits negative, in micro units of a ringgit.
create function ledger_sum(amounts numeric[]) returns numeric language sql immutable strict parallel safe
  return (select coalesce(sum(amount), 0) from unnest(amounts) as amount);

-- Its one row says in which time zone the books' days begin, and up to which day they are closed.
create table ledger_book (
  is_only boolean primary key default true check (is_only),
  timezone text not null default 'Asia/Kuala_Lumpur',
  closed_through date
);
insert into ledger_book default values;

-- One journal entry for each thing that happened, written in the transaction that records it. Line i moves
-- amounts_micro[i] on accounts[i].
create table ledger_entries (
  entry_id bigint generated always as identity primary key,
  reference text collate "C" not null constraint ledger_entries_reference_key unique check (length(reference) between 1 and 300),
  effective_at timestamptz not null,
  recorded_at timestamptz not null default now(),
  -- The day on which it counts: that of effective_at, or the first open one. One before all others is in no balance.
  day date not null constraint ledger_entries_on_a_day check (isfinite(day)),
  accounts text[] not null,
  -- So great only that what columns of 40 digits add up never has more.
  amounts_micro numeric(30, 0)[] not null,
  constraint ledger_entries_lines check (
    array_ndims(accounts) = 1 and array_ndims(amounts_micro) = 1 and cardinality(accounts) >= 2
    and cardinality(accounts) = cardinality(amounts_micro)
    and array_position(accounts, null) is null and array_position(amounts_micro, null) is null
    and array_position(amounts_micro, 0) is null),
  constraint ledger_entries_accounts check (array_to_string(accounts, ' ') ~
    '^((reserve|mint_receivable|fees_receivable|coins|redeem_payable|payout_clearing|residual|fees|unallocated|claims|own_funds|own_transfers):[^ ]+( |$))+$'),
  constraint ledger_entries_balanced check (ledger_sum(amounts_micro) = 0)
);
-- Of a chain that is gone for good no node says how much coin there is, so that the books alone do: they have less of it only where a redeem was burnt, by
-- the batch that the entry names by its one name, or by what was explained of one there. What raised it before counts where a balance has it.
create function guard_lost_coins() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  less record;
  named text[];
  booked numeric;
  burnt numeric;
begin
  if is_owners(tg_relid) then
    return null;
  end if;
  for less in select substr(e.account, 7) as chain_id from unnest(new.accounts, new.amounts_micro) as e (account, amount)
      where e.account like 'coins:%' group by 1 having sum(e.amount) > 0 order by 1 loop
    continue when not stays_or_is_lost(less.chain_id);
    -- One after the other, and each sees those before it: many at the same time came to more.
    perform pg_advisory_xact_lock(hashtextextended('less coin on chain ' || less.chain_id, 0));
    named := regexp_match(split_part(new.reference, '/taken/', 1), '^((batch)/(\d{1,18})/(\d{1,18})(?:/again/\d+)?(?:/(\d{1,3}))?)/[^/]+$');
    if named is null then
      named := regexp_match(split_part(new.reference, '/taken/', 1), '^((turn|beside)/(\d{1,18})/(\d{1,18})/(\d{1,18}))/\d+$');
    end if;
    select coalesce(sum(l.amount), 0) into booked from ledger_entries e cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
      where e.reference >= named[1] || '/' and e.reference < named[1] || '0' and split_part(e.reference, '/taken/', 1) not like named[1] || '/%/%'
        and l.account = 'coins:' || less.chain_id and (l.amount > 0 or named[2] <> 'batch' and (exists (select from ledger_seals s where s.entry_id = e.entry_id)
          or exists (select from ledger_unsealed u where u.entry_id = e.entry_id)));
    -- Of what has turned (src/settlement/tables/turned.sql.ts): what the books come to by how often it has.
    select coalesce(sum(case when named[2] <> 'turn' then o.amount_micro when m.turns % 2 = 0 then 0
        when (o.direction = 'MINT') = m.executed then o.amount_micro else -o.amount_micro end), 0) into burnt from batches b
      cross join lateral (
        select order_id, 0 as turns, false as executed from unnest(b.order_ids) as s (order_id)
          where not b.is_foreign and named[2] = 'batch' and named[5] is null
        union all select i.order_id, 0, false from foreign_instructions i where b.is_foreign and named[2] = 'batch' and named[5] is not null
          and i.chain_id = b.chain_id and i.batch_id = b.batch_id and i.instruction_index::text = named[5] and i.succeeded
        union all select l.order_id, l.turns, l.executed from lost_orders l
          where named[2] = 'turn' and l.order_id = named[5]::bigint and l.order_id::text = named[5] and l.batch_id = b.batch_id and l.turns > 0
        union all select s.order_id, 0, false from batch_outcomes x cross join lateral unnest(b.order_ids) with ordinality as s (order_id, position)
          where named[2] = 'beside' and x.chain_id = b.chain_id and x.batch_id = b.batch_id and s.order_id::text = named[5]
            and s.position - 1 = any (x.beside) and s.position - 1 = any (x.executed)) m
      join orders o on o.order_id = m.order_id and o.chain_id = b.chain_id
      where b.chain_id = named[3]::bigint and b.batch_id = named[4]::bigint and b.chain_id::text = less.chain_id
        and named[1] = named[2] || '/' || b.chain_id || '/' || b.batch_id || case when named[2] = 'batch' and b.taken_back > 0 then '/again/' || b.taken_back else '' end
          || coalesce('/' || named[5], '')
        and (named[2] = 'turn' or b.status = 'final')
        -- Only what had left it, and is burnt there after all: an operator writes what is beside.
        and (named[2] <> 'beside' or o.batch_id is distinct from b.batch_id and o.direction = 'REDEEM')
        and (named[2] <> 'batch' or o.batch_id = b.batch_id and o.direction = 'REDEEM' and o.status in ('processing', 'completed'));
    if named is null or booked > burnt then
      raise exception 'nothing was burnt on chain %, which is lost, as % says', less.chain_id, new.reference
        using errcode = 'check_violation', constraint = 'ledger_entries_of_lost';
    end if;
  end loop;
  return null;
end
$$;
create constraint trigger ledger_entries_of_lost after insert on ledger_entries deferrable initially deferred
  for each row execute function guard_lost_coins();

-- Coin is on a chain: of any other no node says how much there is, and less than none there would be room for more elsewhere. On a day that is closed an entry is in
-- no balance: each comes on one that is open, and stays so until it is there.
create function guard_new_entry() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if is_owners(tg_relid) then
    return null;
  end if;
  perform pg_advisory_xact_lock_shared(7261001);
  if current_setting('transaction_isolation') <> 'read committed' or exists (select from ledger_book b where b.closed_through >= new.day) then
    raise exception 'the day of entry % is closed', new.reference using errcode = 'check_violation', constraint = 'ledger_entries_day_open';
  end if;
  if exists (select from unnest(new.accounts) as l (account) where l.account like 'coins:%'
      and not exists (select from chains c where 'coins:' || c.chain_id = l.account)) then
    raise exception 'entry % names no chain', new.reference using errcode = 'check_violation', constraint = 'ledger_entries_on_chains';
  end if;
  return null;
end
$$;
create trigger ledger_entries_begin after insert on ledger_entries for each row execute function guard_new_entry();

-- For what the books came to in the midst of a day. By an expression, so that no plan for what waits for its seal reads all days by it instead.
create index ledger_entries_by_day on ledger_entries ((day + 0));

-- Entries that the sealer has not reached yet.
create table ledger_unsealed (
  entry_id bigint primary key
);

-- The chain of hashes over the entries: each seal covers its entry and the seal before it.
create table ledger_seals (
  position bigint primary key check (position > 0),
  entry_id bigint not null constraint ledger_seals_entry_key unique,
  hash bytea not null check (length(hash) = 32)
);

-- What awaits its seal and what has it are added up, and an entry that two transactions make both would count twice, for ever once the seal is a false one. Where the
-- books alone say how much coin there is, one waits for the other, and sees it: in a transaction that sees what was, neither does.
create function is_alone_with(entry bigint) returns boolean language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from lost_chains) or not exists (select from ledger_entries e join lost_chains l on 'coins:' || l.chain_id = any (e.accounts)
      where e.entry_id = entry) then
    return true;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('the seal of entry ' || entry, 0));
  return current_setting('transaction_isolation') = 'read committed';
end
$$;

-- The sealer takes the oldest ones: what is no entry, or was sealed before, would be taken first, for ever, and keep all others from their seals.
create function guard_unsealed_entry() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  is_alone boolean := is_owners(tg_relid) or is_alone_with(new.entry_id);
begin
  if not is_alone or not exists (select from ledger_entries e where e.entry_id = new.entry_id)
      or exists (select from ledger_seals s where s.entry_id = new.entry_id) then
    raise exception 'entry % awaits no seal', new.entry_id
      using errcode = 'check_violation', constraint = 'ledger_unsealed_awaits';
  end if;
  return null;
end
$$;
create trigger ledger_unsealed_awaits after insert on ledger_unsealed for each row execute function guard_unsealed_entry();

-- A seal follows another one, and is of an entry that no longer awaits any: with a number far ahead nothing more could be sealed, and what is yet to come could
-- not be booked once its number is sealed.
create function guard_seal() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  is_alone boolean := is_owners(tg_relid) or is_alone_with(new.entry_id);
begin
  if (not is_alone or not exists (select from ledger_entries e where e.entry_id = new.entry_id)
      or exists (select from ledger_unsealed u where u.entry_id = new.entry_id)
      or new.position > 1 and not exists (select from ledger_seals s where s.position = new.position - 1))
      and not is_owners(tg_relid) then
    raise exception 'seal % of entry % follows none', new.position, new.entry_id
      using errcode = 'check_violation', constraint = 'ledger_seals_follow';
  end if;
  return null;
end
$$;
create trigger ledger_seals_follow after insert on ledger_seals for each row execute function guard_seal();

-- What no longer waits has its seal, and is in the totals of its day: otherwise it is in no balance.
create function guard_gone_unsealed() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from ledger_seals s where s.entry_id = old.entry_id) and not is_owners(tg_relid) then
    raise exception 'entry % has no seal', old.entry_id using errcode = 'check_violation', constraint = 'ledger_unsealed_goes';
  end if;
  return null;
end
$$;
create trigger ledger_unsealed_goes after delete on ledger_unsealed for each row execute function guard_gone_unsealed();

-- What the sealed entries of a day come to on each account, so that a balance costs the same after years.
create table ledger_totals (
  account text not null,
  day date not null,
  debit_micro numeric(40, 0) not null check (debit_micro between 0 and 1e36),
  credit_micro numeric(40, 0) not null check (credit_micro between 0 and 1e36),
  primary key (day, account)
);

-- Of a chain that is gone for good nothing else says how much coin there is: whoever adds up what was sealed could say anything. It is put right, and not refused:
-- what was wrong before would keep everything from its seal.
create function keep_lost_totals() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not is_owners(tg_relid) and stays_or_is_lost(substr(new.account, 7)) then
    update ledger_totals t set debit_micro = s.debit, credit_micro = s.credit from (
        select least(coalesce(sum(greatest(l.amount, 0)), 0), 1e36) as debit, least(coalesce(sum(greatest(-l.amount, 0)), 0), 1e36) as credit
        from ledger_entries e cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
        where e.day + 0 = new.day and e.accounts @> array[new.account] and l.account = new.account and (select position from ledger_seals where entry_id = e.entry_id) is not null) s
      where (t.day, t.account) = (new.day, new.account) and (t.debit_micro, t.credit_micro) <> (s.debit, s.credit);
  end if;
  return null;
end
$$;
create constraint trigger ledger_totals_of_lost after insert or update on ledger_totals deferrable initially deferred
  for each row when (new.account like 'coins:%') execute function keep_lost_totals();

-- Whoever seals it adds it up: otherwise it is in no balance.
create function add_lost_sealed() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  coins record;
begin
  if is_owners(tg_relid) then
    return null;
  end if;
  for coins in select distinct l.account, e.day from added join ledger_entries e using (entry_id) cross join lateral unnest(e.accounts) as l (account)
      where l.account like 'coins:%' order by 2, 1 loop
    continue when not stays_or_is_lost(substr(coins.account, 7));
    -- `keep_lost_totals` says how much it is.
    insert into ledger_totals as t (account, day, debit_micro, credit_micro) values (coins.account, coins.day, 0, 0)
      on conflict (account, day) do update set debit_micro = t.debit_micro;
  end loop;
  return null;
end
$$;
create trigger ledger_seals_add_up after insert on ledger_seals referencing new table as added for each statement execute function add_lost_sealed();

-- What was settled on a day for an integration on a chain, written with the entries of its batches. Transfers are here
-- only, because they are not booked.
create table ledger_flows (
  day date not null,
  integration_id text not null,
  chain_id bigint not null,
  minted_micro numeric(40, 0) not null check (minted_micro between 0 and 1e36),
  refunded_micro numeric(40, 0) not null check (refunded_micro between 0 and 1e36),
  redeemed_micro numeric(40, 0) not null check (redeemed_micro between 0 and 1e36),
  transferred_micro numeric(40, 0) not null check (transferred_micro between 0 and 1e36),
  fees_micro numeric(40, 0) not null check (fees_micro between -1e36 and 1e36),
  primary key (day, integration_id, chain_id)
);

-- Each time that days were closed: up to which day, and which payouts were not paid then.
create table ledger_closings (
  through date primary key,
  closed_at timestamptz not null default now(),
  unpaid jsonb not null
);

-- What every account comes to at the end of a closed day, so that a balance adds up only what came later.
create table ledger_carried (
  through date not null references ledger_closings deferrable,
  account text not null,
  balance_micro numeric(40, 0) not null check (balance_micro < 'NaN'),
  primary key (through, account)
);

-- The same for what an integration has minted on a chain and not redeemed.
create table ledger_flows_carried (
  through date not null references ledger_closings deferrable,
  integration_id text not null,
  chain_id bigint not null,
  issued_micro numeric(40, 0) not null check (issued_micro < 'NaN'),
  primary key (through, integration_id, chain_id)
);

-- Only days that are over are closed, one closing after the other: on a day that is closed already no batch could be booked. What a closing carries on comes
-- with it, and before it.
create function guard_closing() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  closes boolean;
begin
  if tg_table_name = 'ledger_book' then
    closes := new.closed_through > coalesce(old.closed_through, '-infinity') and new.closed_through < (now() at time zone new.timezone)::date;
  elsif tg_table_name = 'ledger_closings' then
    closes := exists (select from ledger_book b where b.closed_through = new.through);
  else
    -- As `closeDays` holds it: otherwise another transaction may close that day meanwhile, and has not seen this.
    if not is_owners(tg_relid) then
      perform pg_advisory_xact_lock(7261001);
    end if;
    closes := current_setting('transaction_isolation') = 'read committed' and not exists (select from ledger_closings c where c.through = new.through);
  end if;
  if closes is not true and not is_owners(tg_relid) then
    raise exception '% says something else than a closing', tg_table_name using errcode = 'check_violation', constraint = 'ledger_closes';
  end if;
  return null;
end $$;
create trigger ledger_book_closes after update on ledger_book
  for each row when (new.closed_through is distinct from old.closed_through) execute function guard_closing();
create trigger ledger_closings_close after insert on ledger_closings for each row execute function guard_closing();
create trigger ledger_carried_closes after insert on ledger_carried for each row execute function guard_closing();
create trigger ledger_flows_carried_closes after insert on ledger_flows_carried for each row execute function guard_closing();

-- Of a chain that is gone for good nothing else says how much coin there is: a closing carries on what its days come to, and no more and no less.
create function guard_lost_carried() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  coins text;
  before date := (select coalesce(max(through), '-infinity') from ledger_closings where through < new.through);
begin
  if is_owners(tg_relid) then
    return null;
  end if;
  -- Nobody books on these days any more, and what was booked is seen.
  perform pg_advisory_xact_lock(7261001);
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'the closing of % does not see what is', new.through using errcode = 'check_violation', constraint = 'ledger_closings_of_lost';
  end if;
  for coins in select 'coins:' || c.chain_id from chains c where stays_or_is_lost(c.chain_id::text) loop
    if coalesce((select balance_micro from ledger_carried where (through, account) = (new.through, coins)), 0) <> (
        select coalesce(sum(t.amount), 0) from (
          select balance_micro as amount from ledger_carried where (through, account) = (before, coins)
          -- What this transaction itself has written there is put right later than this is judged, if it says so.
          union all select case when age(t.xmin) > 0 then t.debit_micro - t.credit_micro else (select coalesce(sum(l.amount), 0) from ledger_entries e
              cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount) where e.day + 0 = t.day and e.accounts @> array[coins]
                and l.account = coins and (select position from ledger_seals where entry_id = e.entry_id) is not null) end
            from ledger_totals t where t.account = coins and t.day > before and t.day <= new.through
          union all select l.amount from ledger_unsealed join ledger_entries e using (entry_id)
            cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
            where l.account = coins and e.day > before and e.day <= new.through) t) then
      raise exception 'the closing of % carries on something else than %, which is lost, comes to', new.through, coins
        using errcode = 'check_violation', constraint = 'ledger_closings_of_lost';
    end if;
  end loop;
  return null;
end
$$;
create constraint trigger ledger_closings_of_lost after insert on ledger_closings deferrable initially deferred
  for each row execute function guard_lost_carried();

-- What is closed stays as it is.
create function refuse_closed_flow() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from ledger_book where closed_through >= case tg_op when 'DELETE' then old.day else new.day end)
    or (tg_op = 'UPDATE' and old.day <> new.day) then
    raise exception 'the day is closed' using errcode = 'check_violation', constraint = 'ledger_flows_day_open';
  end if;
  return null;
end $$;
create trigger ledger_flows_day_open after insert or update or delete on ledger_flows
  for each row execute function refuse_closed_flow();

create function refuse_ledger_change() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger ledger_entries_append_only before update or delete on ledger_entries
  for each row execute function refuse_ledger_change();
create trigger ledger_entries_no_truncate before truncate on ledger_entries
  for each statement execute function refuse_ledger_change();
create trigger ledger_seals_append_only before update or delete on ledger_seals
  for each row execute function refuse_ledger_change();
create trigger ledger_seals_no_truncate before truncate on ledger_seals
  for each statement execute function refuse_ledger_change();
create trigger ledger_closings_append_only before update or delete on ledger_closings
  for each row execute function refuse_ledger_change();
create trigger ledger_carried_append_only before update or delete on ledger_carried
  for each row execute function refuse_ledger_change();
create trigger ledger_flows_carried_append_only before update or delete on ledger_flows_carried
  for each row execute function refuse_ledger_change();

-- What banks said: see docs/BOOKS.md. Each content is taken once; a refused file stays here with its reason.
create table bank_imports (
  content_hash text primary key check (content_hash ~ '^[0-9a-f]{64}$'),
  name text not null,
  -- Null when the file could not be read as far as that.
  definition text,
  message_id text,
  -- On which day the bank wrote it, as it says: one that numbers its messages anew each year uses their ids again.
  created_on date,
  refusal_code text,
  refusal_sentence text,
  imported_at timestamptz not null default now(),
  constraint bank_imports_refused_for_a_reason check ((refusal_code is null) = (refusal_sentence is null)),
  constraint bank_imports_taken_are_known check (refusal_code is not null or num_nulls(definition, message_id) = 0)
);
create index bank_imports_message on bank_imports (message_id) where refusal_code is null;
create index bank_imports_listed on bank_imports (imported_at desc);

-- Files that the transport has brought and that wait in the folder: for what, and since when.
create table bank_left (
  -- The content's hash; the name of one that cannot be read.
  file_key text primary key,
  name text not null,
  reason text not null check (length(reason) between 1 and 500),
  since timestamptz not null default now()
);

-- A statement waits while the one before it is missing: it must open with the balance with which the last one closed.
-- `position` counts the applied ones of an account; a late one has a higher position than later days. `digest` is over everything that the statement says.
create table bank_statements (
  statement_no bigint generated always as identity primary key,
  bank_account text not null,
  statement_id text not null,
  sequence text,
  opened_on date not null,
  opening_micro bigint not null,
  closed_on date not null,
  closing_micro bigint not null,
  line_count integer not null check (line_count >= 0),
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  content_hash text not null references bank_imports,
  position bigint check (position > 0),
  imported_at timestamptz not null default now(),
  applied_at timestamptz,
  -- Set aside for good while it waited, and why: the bank has replaced it, or it was wrong. Nothing of it is ever booked.
  withdrawn_at timestamptz,
  withdrawn_for text check (length(withdrawn_for) between 1 and 500),
  -- SHA-256 of the number of the account, as the bank wrote it: under two names its money would count twice. Null of what operators made.
  account_digest text check (account_digest ~ '^[0-9a-f]{64}$'),
  constraint bank_statements_position unique (bank_account, position),
  constraint bank_statements_applied_whole check ((position is null) = (applied_at is null)),
  constraint bank_statements_withdrawn_whole check ((withdrawn_at is null) = (withdrawn_for is null)),
  constraint bank_statements_withdrawn_or_applied check (withdrawn_at is null or position is null)
);
-- Those of an account one after the other: each month brings more, and the newest ones are asked for.
create index bank_statements_in_order on bank_statements (bank_account, closed_on, position) where position is not null;
create index bank_statements_by_number on bank_statements (account_digest, bank_account) where withdrawn_at is null;
create index bank_statements_by_day on bank_statements (bank_account, closed_on) where withdrawn_at is null;
-- What replaces a withdrawn statement may have its id.
create unique index bank_statements_id_stands on bank_statements (bank_account, statement_id) where withdrawn_at is null;
-- Two without lines may differ in the bank's numbers alone.
create unique index bank_statements_content_stands on bank_statements (
  bank_account, digest, coalesce(case when line_count = 0 then sequence end, '')) where withdrawn_at is null;

-- What a statement says happened. unbooked: not yet looked at · matched: with what it belongs to · unallocated: nothing
-- explains it · assigned: an operator has explained it · allocated: the lines that were made of it are explained in its place ·
-- dissolved: was made of others, which stand for themselves again. Credits are positive.
create table bank_lines (
  line_no bigint generated always as identity primary key,
  statement_no bigint not null references bank_statements,
  bank_account text not null,
  -- Place in the statement; 0.0 is what an account's first statement opens with.
  entry integer not null,
  detail integer not null,
  amount_micro bigint not null check (amount_micro <> 0),
  booked_on date not null,
  value_on date not null,
  is_reversal boolean not null,
  servicer_reference text,
  end_to_end_id text,
  -- Who paid or was paid, and the bank's words, of bank_details; null when it says nothing of them.
  bank_id text,
  return_code text,
  -- Which other account of the issuer it came from or went to, when that is one.
  own_account text check (own_account <> bank_account),
  -- Of a debit that may be for several payments of ours and was not taken apart: the names in it, and of how many payments it is.
  together jsonb check (together is null or coalesce(jsonb_typeof(together -> 'names') = 'array', false)),
  state text not null default 'unbooked' check (state in ('unbooked', 'matched', 'unallocated', 'assigned', 'allocated', 'dissolved')),
  -- What it belongs to, and which one: a payment of a payout, an integration's mints, and so on.
  matched_kind text check (matched_kind in ('payout', 'extra_payout', 'mint', 'remitter', 'fees', 'own_funds', 'own_transfer', 'claim')),
  matched_to text,
  -- Why nothing explains it, or why an operator assigned it.
  reason text check (length(reason) between 1 and 500),
  decided_at timestamptz,
  -- How often an operator has taken back what it belonged to.
  taken_back integer not null default 0 check (taken_back >= 0),
  -- The payment for which it was last taken, and is no longer.
  freed_from text,
  -- The allocation that made it of other lines; null for what the bank has said. And the one into whose lines it went last.
  made_by bigint check (made_by > 0),
  allocation bigint,
  -- Of a debit by which the bank takes back what came in for mints or fees: that credit.
  reverses bigint references bank_lines,
  constraint bank_lines_reverses_a_credit check (reverses is null or state = 'assigned' and amount_micro < 0 and matched_kind in ('remitter', 'fees')),
  constraint bank_lines_allocated_by_one check (state <> 'allocated' or allocation is not null),
  constraint bank_lines_place unique (statement_no, entry, detail),
  constraint bank_lines_matched_to_something check (
    (state in ('matched', 'assigned')) = (matched_kind is not null and matched_to is not null)),
  constraint bank_lines_unallocated_for_a_reason check (state not in ('unallocated', 'assigned') or reason is not null),
  constraint bank_lines_decided_at check ((state = 'unbooked') = (decided_at is null))
);
create index bank_lines_unbooked on bank_lines (line_no) where state = 'unbooked';
create index bank_lines_unallocated on bank_lines (line_no) where state = 'unallocated';
create index bank_lines_together on bank_lines (line_no) where state = 'unallocated' and together is not null;
-- By which somebody is told that a debit which an operator called something else may be a payment.
create index bank_lines_said on bank_lines (amount_micro) where state in ('assigned', 'allocated') and amount_micro < 0;
create index bank_lines_own_credits on bank_lines (booked_on) where matched_kind = 'own_funds' and amount_micro > 0;
create index bank_lines_claims on bank_lines (line_no) where matched_kind = 'claim' and amount_micro < 0;
-- With the amount and the day: a payer may write the same id beside every payment for years, and each file of a bank looks for what was notified under it.
create index bank_lines_end_to_end on bank_lines (end_to_end_id, amount_micro, booked_on) where end_to_end_id is not null;
create index bank_lines_servicer on bank_lines (servicer_reference, amount_micro) where servicer_reference is not null;
-- Parts of entries, by the bank's reference: of an entry in parts, one at least. By an expression, so that no plan for them walks through all lines of the reference instead.
create index bank_lines_parts on bank_lines ((servicer_reference || '')) where servicer_reference is not null and detail > 1 and made_by is null;
create index bank_lines_matched on bank_lines (matched_to) where matched_to is not null;
create index bank_lines_made_by on bank_lines (made_by) where made_by is not null;
create index bank_lines_reverses on bank_lines (reverses) where reverses is not null;
create index bank_lines_allocation on bank_lines (allocation) where allocation is not null;

-- Mints whose ringgit was seen at the bank, each once.
create table bank_paid_mints (
  order_id bigint primary key,
  line_no bigint not null references bank_lines
);
create index bank_paid_mints_by_line on bank_paid_mints (line_no);

-- What notifications say happened; the same money comes again as a line of a statement, and only that is booked.
create table bank_notified (
  -- Derived from what it says, so that a second notification of the same movement changes nothing.
  notified_key text primary key check (notified_key ~ '^[0-9a-f]{64}$'),
  bank_account text not null,
  amount_micro bigint not null check (amount_micro <> 0),
  booked_on date not null,
  servicer_reference text,
  end_to_end_id text,
  bank_id text,
  content_hash text not null references bank_imports,
  -- Which notification of that file.
  notification integer not null default 1,
  -- As with a line.
  own_account text check (own_account <> bank_account),
  imported_at timestamptz not null default now(),
  -- A statement has a line of it.
  is_shown boolean not null default false
);
create index bank_notified_by_day on bank_notified (bank_account, booked_on);
create index bank_notified_not_shown on bank_notified (bank_account, booked_on) where not is_shown;

-- What banks have said never changes; only what a line belongs to is added. It is taken back where nothing followed from it: from a
-- payment by a rail, whose payout has moved with it, only when another line says the same of that payment; or where an operator had said it
-- of a debit without its name, and the payment is with its rail again, or paid as that has said. What was paid by hand and is no longer
-- given back is another payment by hand.
create function guard_bank_line() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  is_taken_back boolean := (old.state, new.state) in (('matched', 'unallocated'), ('assigned', 'unallocated'));
  is_by_hand boolean := coalesce(old.matched_kind = 'payout' and old.matched_to like '%/by\_hand%', false);
begin
  if tg_op = 'DELETE' or (to_jsonb(new) - array['state', 'matched_kind', 'matched_to', 'reason', 'decided_at', 'taken_back', 'freed_from', 'allocation', 'reverses'])
      is distinct from (to_jsonb(old) - array['state', 'matched_kind', 'matched_to', 'reason', 'decided_at', 'taken_back', 'freed_from', 'allocation', 'reverses']) then
    raise exception 'line % stands as the bank has said it', old.line_no
      using errcode = 'check_violation', constraint = 'bank_lines_as_said';
  end if;
  if not (is_taken_back and (old.matched_kind in ('mint', 'remitter', 'fees', 'own_funds', 'own_transfer', 'claim') or is_by_hand
        or exists (select from bank_lines o where o.matched_to = old.matched_to and o.matched_kind = old.matched_kind
          and o.line_no <> old.line_no and sign(o.amount_micro) = sign(old.amount_micro))
        or old.state = 'assigned' and old.amount_micro < 0 and exists (select from payout_attempts a
          where a.payout_id = split_part(old.matched_to, '/', 1) and a.attempt::text = split_part(old.matched_to, '/', 2)
            and a.end_to_end_id is distinct from old.end_to_end_id and (a.status = 'sent' or a.status = 'paid'
              and a.paid_reference <> (select old.bank_account || '/' || s.statement_id || '/' || old.entry || '.' || old.detail
                from bank_statements s where s.statement_no = old.statement_no))))
      or (old.state, new.state) in (('unbooked', 'matched'), ('unbooked', 'unallocated'), ('unallocated', 'assigned'), ('unallocated', 'allocated'))
      or (old.state, new.state) = ('unallocated', 'dissolved') and old.made_by is not null
      or (old.state, new.state) = ('allocated', 'unallocated')
      or is_by_hand and (old.state, new.state, new.matched_kind) = ('assigned', 'assigned', 'payout')
        and starts_with(new.matched_to, split_part(old.matched_to, '/by_hand', 1) || '/by_hand/')) then
    raise exception 'line % may not go from % to %', old.line_no, old.state, new.state
      using errcode = 'check_violation', constraint = 'bank_lines_move_exists';
  end if;
  if new.freed_from is distinct from (case when is_taken_back and old.matched_kind in ('payout', 'extra_payout') then old.matched_to
      else old.freed_from end) then
    raise exception 'line % was not taken for %', old.line_no, new.freed_from
      using errcode = 'check_violation', constraint = 'bank_lines_freed_from';
  end if;
  if new.allocation is distinct from old.allocation and new.state <> 'allocated' then
    raise exception 'line % is in no allocation', old.line_no
      using errcode = 'check_violation', constraint = 'bank_lines_allocated_as_said';
  end if;
  if new.taken_back <> old.taken_back + is_taken_back::integer then
    raise exception 'line % was taken back % times, not %', old.line_no, old.taken_back + is_taken_back::integer, new.taken_back
      using errcode = 'check_violation', constraint = 'bank_lines_taken_back_counts';
  end if;
  return new;
end
$$;
create trigger bank_lines_guard before update or delete on bank_lines for each row execute function guard_bank_line();

-- What was made of lines comes to what they come to, to the sen, on one account; when none of it is explained any more, they stand again.
create function guard_bank_allocation() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  number bigint;
begin
  foreach number in array array_remove(array[new.made_by, new.allocation], null) loop
    if (select (sum(amount_micro), min(bank_account), max(bank_account)) from bank_lines where made_by = number and state <> 'dissolved')
        is distinct from (select (sum(amount_micro), min(bank_account), max(bank_account)) from bank_lines where allocation = number and state = 'allocated') then
      raise exception 'the lines of allocation % do not come to what they were made of', number
        using errcode = 'check_violation', constraint = 'bank_lines_allocated_whole';
    end if;
  end loop;
  return null;
end
$$;
create constraint trigger bank_lines_allocated after insert or update of state, allocation on bank_lines deferrable initially deferred
  for each row when (new.made_by is not null or new.allocation is not null) execute function guard_bank_allocation();

create function guard_bank_statement() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'DELETE' or old.position is not null or old.withdrawn_at is not null
      or (to_jsonb(new) - array['position', 'applied_at', 'withdrawn_at', 'withdrawn_for'])
        is distinct from (to_jsonb(old) - array['position', 'applied_at', 'withdrawn_at', 'withdrawn_for']) then
    raise exception 'statement % stands as the bank has said it', old.statement_no
      using errcode = 'check_violation', constraint = 'bank_statements_as_said';
  end if;
  -- With a place far ahead no other statement of the account would have one.
  if new.position > 1 and not exists (select from bank_statements s where (s.bank_account, s.position) = (new.bank_account, new.position - 1))
      and not is_owners(tg_relid) then
    raise exception 'statement % is not the next one', old.statement_no
      using errcode = 'check_violation', constraint = 'bank_statements_in_turn';
  end if;
  return new;
end
$$;
create trigger bank_statements_guard before update or delete on bank_statements
  for each row execute function guard_bank_statement();

-- Keys that people have called lost: what they had sealed of statements up to that one is not to be had any more. Once more of a key that was
-- found, has sealed more, and is lost again.
create table lost_keys (
  key_id text not null check (key_id ~ '^[0-9a-f]{16}$'),
  through_statement bigint not null references bank_statements,
  reason text not null check (length(reason) between 1 and 500),
  said_at timestamptz not null default now(),
  primary key (key_id, through_statement)
);

-- What the hourly reconciliations found: how many differences of each kind.
create table reconcile_runs (
  run_id bigint generated always as identity primary key,
  finished_at timestamptz not null default now(),
  duration_ms integer not null,
  differences jsonb not null check (
    jsonb_typeof(differences) = 'object' and not jsonb_path_exists(differences, 'strict $.* ? (@.type() != "number")'))
);

-- What reconciliation has added up of the orders of this UTC month, so that it reads none again that has ended. A pass goes once
-- through them, in the order of their numbers; each hour reads a part of them again, which makes the next pass.
create table reconcile_passes (
  pass_no bigint generated always as identity primary key,
  month date not null,
  -- All orders of the month have greater numbers.
  after_order_id bigint not null,
  through_order_id bigint not null,
  -- Counters are compared with the one that is complete.
  is_complete boolean not null default false,
  -- Where the next pass came to other sums: [{"direction", "owner", "period", "was", "is"}].
  disputed jsonb not null default '[]' check (case jsonb_typeof(disputed) when 'array' then jsonb_array_length(disputed) = jsonb_array_length(
    jsonb_path_query_array(disputed, 'strict $[*] ? (@.was like_regex "^-?[0-9]{1,40}$" && @.is like_regex "^-?[0-9]{1,40}$")')) else false end)
);
create unique index reconcile_passes_one_of_each on reconcile_passes (is_complete);

-- What the ended orders of a pass come to, for each counter of usage.
create table reconcile_usage (
  pass_no bigint not null,
  direction text not null check (direction in ('MINT', 'REDEEM', 'TRANSFER')),
  owner text not null,
  period date not null,
  amount_micro numeric(40, 0) not null check (amount_micro between -1e36 and 1e36),
  primary key (pass_no, direction, owner, period)
);

-- Orders through which a pass has gone and which had not ended.
create table reconcile_open (
  pass_no bigint not null,
  order_id bigint not null,
  primary key (pass_no, order_id)
);

-- How far old batches of a chain, and old payouts, were compared again.
create table reconcile_cursors (
  what text primary key,
  position bigint not null
);

-- Batches and payouts that were not what is booked: compared again each time, until they are.
create table reconcile_suspects (
  what text not null check (what in ('batch', 'payout', 'statement')),
  -- Of a batch its chain and its id
  subject text not null check (what <> 'batch' or subject ~ '^[0-9]{1,18}/[0-9]{1,18}$'),
  primary key (what, subject)
);

-- Payment files of the rail bank_files. The content is stored with its number before a file appears in the folder, so that
-- the same bytes can be written again after a crash.
create table payment_files (
  message_id text primary key,
  prefix text not null,
  file_number integer not null check (file_number between 1 and 99999999),
  -- sealed under SECRETS_KEY
  content text not null check (starts_with(content, 'sb1.')),
  content_hash text not null check (content_hash ~ '^[0-9a-f]{64}$'),
  created_at timestamptz not null default now(),
  -- When it was seen in the folder of the transport.
  put_out_at timestamptz,
  -- Since when it waits because it does not open
  not_opened_since timestamptz,
  -- When it was given up before it was put out, because a payout in it had been held or paid otherwise, and which one.
  withdrawn_at timestamptz,
  withdrawn_for text,
  -- Found in the folder, and written by a state of the database that was lost.
  is_read_back boolean not null default false,
  -- Another one under the name of the next would take in its payments, and never go out.
  constraint payment_files_named_by_number check (message_id = prefix || '-' || lpad(file_number::text, 8, '0')),
  constraint payment_files_withdrawn_for_a_reason check (num_nonnulls(withdrawn_at, withdrawn_for) in (0, 2)),
  constraint payment_files_put_out_or_withdrawn check (num_nonnulls(put_out_at, withdrawn_at) < 2)
);
create index payment_files_by_number on payment_files (prefix, file_number);
create index payment_files_to_put_out on payment_files (file_number) where put_out_at is null and withdrawn_at is null;

-- Payments that the rail has accepted, each end-to-end id once. Without a file: the next one takes it.
create table filed_payments (
  end_to_end_id text primary key,
  -- Null for one that was read back.
  payout_id text,
  amount_sen bigint not null check (amount_sen > 0),
  -- The payee as a file names it, of bank_details.
  bank_id text not null,
  is_resident boolean not null,
  remittance text not null,
  accepted_at timestamptz not null default now(),
  message_id text references payment_files,
  -- Since when it waits because its payee does not open
  not_opened_since timestamptz,
  -- When a run last passed it over that could not look at all that wait: no rail carries it, and it comes after the others.
  passed_over_at timestamptz,
  -- When an operator said that it was paid before it was in any file: it goes into none.
  withdrawn_at timestamptz,
  -- What the bank's last report said about it.
  status_code text,
  meaning text check (meaning in ('accepted', 'sent', 'paid', 'rejected', 'unknown')),
  status_reason text,
  reported_at timestamptz,
  constraint filed_payments_report_whole check (num_nonnulls(status_code, meaning, reported_at) in (0, 3))
);
create index filed_payments_waiting on filed_payments (accepted_at) where message_id is null;
create index filed_payments_by_file on filed_payments (message_id);

-- Payers forget the payee of a filed payment that has another one now, or none, and no other details: the books and operators need them.
create function guard_gone_details() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not acts_as('stablecoin_operator', tg_relid) and (old.payment is null or exists (select from filed_payments f
      where f.end_to_end_id = split_part(old.payment, ' ', 1) and f.bank_id = old.bank_id)) then
    raise exception 'bank details % are needed', old.bank_id
      using errcode = 'check_violation', constraint = 'bank_details_go';
  end if;
  return old;
end
$$;
create trigger bank_details_go before delete on bank_details for each row execute function guard_gone_details();

-- What was put out may be paid by now: it is not put out again, nor are its payments in another file. What was withdrawn goes
-- out only where it is found in the folder, and is out then. Nor is a payment taken out of a file that may still go out, with it: it would be paid
-- with the next one, too. Operators take it out who have found it in a file that went out; they withdraw the other one.
create function guard_payment_file() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if old.put_out_at is not null and (new.put_out_at is null or new.content_hash <> old.content_hash) then
    raise exception 'payment file % was put out', old.message_id
      using errcode = 'check_violation', constraint = 'payment_files_put_out';
  end if;
  if old.withdrawn_at is not null and new.withdrawn_at is null and not (new.is_read_back and new.put_out_at is not null) then
    raise exception 'payment file % was withdrawn', old.message_id
      using errcode = 'check_violation', constraint = 'payment_files_withdrawn';
  end if;
  return null;
end
$$;
create trigger payment_files_guard after update on payment_files for each row execute function guard_payment_file();

-- Payers store the next file, and what became of it follows. Beyond a number far ahead none could be given out; operators read back what has one.
create function guard_new_payment_file() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if (num_nonnulls(new.put_out_at, new.withdrawn_at) > 0 or new.is_read_back or new.file_number <> 1 + (
      select coalesce(max(f.file_number), 0) from payment_files f where f.prefix = new.prefix and f.message_id <> new.message_id))
      and not acts_as('stablecoin_operator', tg_relid) then
    raise exception 'payment file % is not the next one', new.message_id
      using errcode = 'check_violation', constraint = 'payment_files_in_turn';
  end if;
  return null;
end
$$;
create trigger payment_files_in_turn after insert on payment_files for each row execute function guard_new_payment_file();

create function guard_filed_payment() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.message_id is distinct from old.message_id
      and exists (select from payment_files where message_id = old.message_id and put_out_at is not null) then
    raise exception 'payment % was put out in %', old.end_to_end_id, old.message_id
      using errcode = 'check_violation', constraint = 'filed_payments_put_out';
  end if;
  if new.message_id is distinct from old.message_id
      and exists (select from payment_files where message_id = old.message_id and withdrawn_at is null)
      and not acts_as('stablecoin_operator', tg_relid) then
    raise exception 'payment % may still go out in %', old.end_to_end_id, old.message_id
      using errcode = 'check_violation', constraint = 'filed_payments_in_file';
  end if;
  if old.withdrawn_at is not null and (new.withdrawn_at is null
      or exists (select from payment_files where message_id = new.message_id and not is_read_back)) then
    raise exception 'payment % was withdrawn', old.end_to_end_id
      using errcode = 'check_violation', constraint = 'filed_payments_withdrawn';
  end if;
  return null;
end
$$;
create trigger filed_payments_guard after update on filed_payments for each row execute function guard_filed_payment();

-- What no payout asks for would wait for ever, and ring for ever. Operators read back what lies in the folder.
create function guard_new_payment() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if (num_nonnulls(new.message_id, new.withdrawn_at, new.meaning) > 0 or not exists (select from payouts p
      where (p.payout_id, p.end_to_end_id, p.amount_sen, p.status) = (new.payout_id, new.end_to_end_id, new.amount_sen, 'queued')))
      and not acts_as('stablecoin_operator', tg_relid) then
    raise exception 'no payout asks for payment %', new.end_to_end_id
      using errcode = 'check_violation', constraint = 'filed_payments_asked_for';
  end if;
  return null;
end
$$;
create trigger filed_payments_asked_for after insert on filed_payments for each row execute function guard_new_payment();

-- Why nothing may be filed until somebody has looked.
create table payment_file_stop (
  is_only boolean primary key default true check (is_only),
  reason text not null,
  since timestamptz not null default now()
);

-- What was said last about the reserves, signed, so that no chain is read when somebody asks.
create table reserve_proofs (
  is_only boolean primary key default true check (is_only),
  made_at timestamptz not null,
  proof jsonb not null
);

-- The last proof of each day of the books, for whoever asks later what was so then: nodes without an archive no longer know the coin of that day.
create table reserve_proofs_of_days (
  day date primary key check (isfinite(day)),
  made_at timestamptz not null,
  proof jsonb not null
);
-- One that was begun before midnight may come a little later.
create function guard_proof_of_day() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from ledger_book where (old.day + 1)::timestamp at time zone timezone < now() - interval '1 hour') then
    raise exception 'the proof of % is kept as it is', old.day;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger reserve_proofs_of_days_kept before update or delete on reserve_proofs_of_days
  for each row execute function guard_proof_of_day();

-- The simulated bank's own book: it remembers every end-to-end id, as a real rail does.
create table simulated_rail_payments (
  end_to_end_id text primary key,
  payout_id text not null,
  amount_sen bigint not null,
  bank_id text not null,
  -- What the account number makes the simulated bank do otherwise
  behaviour text check (behaviour in ('refused', 'returned', 'rejected', 'slow', 'debitedLate')),
  reference text not null,
  created_at timestamptz not null default now()
);

-- What happened to orders, appended in the same transaction, and never changed: the webhook body follows from the row alone
-- (src/events/event.ts). In months, as everything about webhooks. An order has each type of event once, and the id, which
-- is made of its reference, says so: it is the same after a restore, and an order's events are found by their ids.
create sequence events_event_seq_seq;
create table events (
  event_seq bigint not null default nextval('events_event_seq_seq'),
  -- Of the order, as it was then. Status and direction follow from the type.
  amount_micro bigint not null,
  block_number bigint,
  -- To the millisecond, as the body shows it.
  happened_at timestamptz(3) not null,
  created_at timestamptz not null default now(),
  -- The order in which readers come across events: see src/events/feed.sql.ts.
  transaction_id xid8 not null default pg_current_xact_id(),
  event_id text not null,
  type text not null,
  integration_id text not null,
  reference_id text not null,
  tx_hash bytea check (length(tx_hash) = 32),
  primary key (event_id, created_at)
) partition by range (created_at);
alter sequence events_event_seq_seq owned by events.event_seq;
create index events_of_integration on events (integration_id, transaction_id, event_seq);
create index events_by_age on events using brin (created_at);
create table events_default partition of events default;

-- As `eventIdOf` makes it (src/events/event.ts).
create function event_id_of(integration text, reference text, event_type text) returns text language sql stable
  return 'evt_' || left(encode(sha256(convert_to(integration || '/' || reference || '/' || event_type, 'UTF8')), 'hex'), 32);

-- What partners are told has happened: the service signs it for them. Acceptance tells of pending orders alone, and pays no look at a table for
-- this; but its events have their own ids: who has seen the id of a later one would take that for seen.
create function guard_event() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if (new.event_id <> event_id_of(new.integration_id, new.reference_id, new.type)
        or new.type not in ('mint.pending', 'redeem.pending') and not exists (
          select from orders o where o.integration_id = new.integration_id and o.reference_id = new.reference_id
            and new.type = lower(o.direction) || '.' || o.status and o.amount_micro = new.amount_micro
            and (o.tx_hash, o.block_number) is not distinct from (new.tx_hash, new.block_number)))
      and not is_owners(tg_relid) then
    raise exception '% of % has not happened', new.type, new.reference_id
      using errcode = 'check_violation', constraint = 'events_happened';
  end if;
  return null;
end
$$;
create trigger events_happened after insert on events for each row
  when (new.type not in ('mint.pending', 'redeem.pending') or new.event_id <> event_id_of(new.integration_id, new.reference_id, new.type))
  execute function guard_event();

create table webhook_endpoints (
  endpoint_id text primary key,
  integration_id text not null references integrations,
  url text not null check (length(url) between 1 and 2000),
  -- null: all events
  event_types text[],
  -- removed: its row stays for the history of its deliveries, its secrets do not
  status text not null default 'enabled' check (status in ('enabled', 'disabled', 'removed')),
  disabled_reason text,
  secret_encrypted text check (starts_with(secret_encrypted, 'sb1.')),
  -- set during a rotation: the new secret, which does not sign yet
  next_secret_encrypted text check (starts_with(next_secret_encrypted, 'sb1.')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhook_endpoints_removed_without_secret check (
    (status = 'removed') = (secret_encrypted is null) and (status <> 'removed' or next_secret_encrypted is null))
);
create index webhook_endpoints_of_integration on webhook_endpoints (integration_id, created_at);

-- A delivery is in the month of its event, so that an event has one for each endpoint and no more.
create sequence deliveries_delivery_id_seq;
create table deliveries (
  delivery_id bigint not null default nextval('deliveries_delivery_id_seq'),
  -- When the event happened.
  event_at timestamptz not null,
  next_attempt_at timestamptz not null default now() check (isfinite(next_attempt_at)),
  claimed_until timestamptz,
  -- the instant the schedule counts from: the latest replay; null: the event
  scheduled_from timestamptz,
  -- null: with the event
  created_at timestamptz,
  -- counts claims and replays, numbers attempts, and fences results: one counts only while its claim is the newest
  claim integer not null default 0,
  attempts smallint not null default 0,
  -- due: waiting for next_attempt_at · delivered · exhausted: schedule used up · dropped: endpoint was disabled
  status text not null default 'due' check (status in ('due', 'delivered', 'exhausted', 'dropped')),
  endpoint_id text not null,
  event_id text not null,
  primary key (delivery_id, event_at),
  -- In this order it serves an endpoint's pages, too, and what is new comes behind the others.
  constraint deliveries_once_per_endpoint unique (endpoint_id, event_at, event_id)
) partition by range (event_at);
alter sequence deliveries_delivery_id_seq owned by deliveries.delivery_id;
-- Whoever wants this index repeats its condition: what has a delivery's id is not to walk through all that are due because they were few
-- when its plan was made.
create index deliveries_due on deliveries (endpoint_id, next_attempt_at) where status = 'due' and delivery_id + 0 > 0;
-- What failed, newest last: with nearly all delivered, a page of it would read everything that the endpoint has.
create index deliveries_failed on deliveries (endpoint_id, event_at, delivery_id)
  where status in ('exhausted', 'dropped') or (status = 'due' and attempts > 0);
create table deliveries_default partition of deliveries default;

create table delivery_attempts (
  delivery_id bigint not null,
  -- the claim under which it was made; a gap is an attempt whose process died before it recorded the result
  attempt integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  http_status integer,
  error text,
  response_excerpt text,
  primary key (delivery_id, attempt, started_at)
) partition by range (started_at);
create table delivery_attempts_default partition of delivery_attempts default;

-- People of the operations team. A name is one person's for ever: the audit log calls them by it.
create table operators (
  operator_id text primary key check (operator_id ~ '^opr_[0-9a-f]{16}$'),
  name text not null check (length(name) between 1 and 100),
  role text not null check (role in ('viewer', 'support', 'onboarding', 'treasury', 'compliance', 'admin')),
  -- Of their token; null for whoever comes from the identity provider.
  secret_sha256 text check (secret_sha256 ~ '^[0-9a-f]{64}$'),
  -- Who else has seen their token: whoever asked for it, until they replace it. Null: nobody.
  token_seen_by text check (token_seen_by is null or secret_sha256 is not null),
  -- Who they are at the identity provider: never an e-mail address, which may become somebody else's.
  issuer text check (length(issuer) between 1 and 500),
  subject text check (length(subject) between 1 and 255),
  -- Made by break-glass: their token works also where everybody else comes from the identity provider.
  is_emergency boolean not null default false,
  -- Whose it is then, if they were known before: one person, however many ways in.
  emergency_of text references operators check (emergency_of is null or is_emergency),
  created_at timestamptz not null default now(),
  -- the first use of their token, or their first sign-in
  signed_in_at timestamptz,
  disabled_at timestamptz,
  -- Disabled because no group of theirs has a role any more; ends when one has.
  lost_group boolean not null default false,
  constraint operators_identity unique (issuer, subject),
  constraint operators_one_way_in check (
    num_nonnulls(issuer, subject) in (0, 2) and (issuer is null) = (secret_sha256 is not null)),
  constraint operators_lost_group check (not lost_group or (disabled_at is not null and issuer is not null))
);
create unique index operators_name on operators (lower(name));

-- Browsers in which an operator is signed in to the console.
create table operator_sessions (
  -- of the cookie's secret
  secret_sha256 text primary key check (secret_sha256 ~ '^[0-9a-f]{64}$'),
  -- null: the shared token
  operator_id text references operators,
  -- of the token that was shown, whose end is the session's; null where no token was
  token_sha256 text check (token_sha256 ~ '^[0-9a-f]{64}$'),
  -- of a token for commands: the session that it was made in, and that takes it along when somebody signs out
  made_in text check (made_in ~ '^[0-9a-f]{64}$'),
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null check (expires_at > created_at),
  constraint operator_sessions_shown check (operator_id is not null or token_sha256 is not null)
);

-- What one operator asked for and another approves, to be executed once.
create table approvals (
  approval_id text primary key check (approval_id ~ '^apr_[0-9a-f]{16}$'),
  command text not null,
  target text not null,
  method text not null,
  path text not null,
  -- JSON, sealed under SECRETS_KEY: the body, and digests of the whole request and of what it concerns
  body text not null check (starts_with(body, 'sb1.') and length(body) <= 100000),
  -- an operator, or the shared token
  requested_by text not null,
  requested_by_name text not null,
  created_at timestamptz not null default now(),
  -- to be decided until then; once approved, to be run until then
  expires_at timestamptz not null,
  status text not null default 'waiting' check (status in ('waiting', 'approved', 'rejected', 'withdrawn', 'used', 'void')),
  decided_by text references operators,
  decided_at timestamptz,
  reason text,
  -- who asked, or who had approved it
  withdrawn_by_name text,
  -- the request that used it
  execution text unique,
  used_at timestamptz,
  -- how that ended; null while it runs, and for ever when its process died
  outcome text,
  constraint approvals_by_another check (decided_by <> requested_by),
  constraint approvals_decided check (status not in ('approved', 'used', 'void') or decided_by is not null),
  constraint approvals_withdrawn check ((status = 'withdrawn') = (withdrawn_by_name is not null)),
  constraint approvals_used check ((status = 'used') = (execution is not null) and (execution is null) = (used_at is null))
);
create index approvals_newest on approvals (created_at, approval_id);
create index approvals_waiting on approvals (requested_by) where status = 'waiting';

-- The answers of commands that were given an idempotency key, so that the same command run again gets the first answer. Each
-- is sealed, because it may show a new secret, and is kept for a day; the key for ever.
create table operator_answers (
  -- an operator, the shared token or, in a sandbox, an integration
  asked_by text not null,
  idempotency_key text not null check (length(idempotency_key) between 1 and 200),
  -- with the digest of what it answers
  answer text check (starts_with(answer, 'sb1.')),
  answered_at timestamptz not null default now(),
  primary key (asked_by, idempotency_key)
);
create index operator_answers_kept on operator_answers (answered_at) where answer is not null;

-- Only in a sandbox: which requests of a key fail, because a partner made the key for it, and how many more of them.
create table sandbox_faults (
  key_id text primary key references api_keys,
  answer text not null,
  orders_only boolean not null,
  remaining integer not null check (remaining >= 0),
  expires_at timestamptz not null
);

-- Everything that operators did, append-only: who, what, how it was before and after, and from which address.
create table audit_log (
  audit_id bigint generated always as identity primary key,
  actor text not null,
  origin text not null,
  action text not null,
  target text,
  details jsonb not null default '{}',
  before jsonb,
  after jsonb,
  created_at timestamptz not null default now()
);
create index audit_log_of_actor on audit_log (actor, audit_id);
create index audit_log_of_target on audit_log (target, audit_id);
-- What was done to its customer, or on the chains, with a wallet: few lines name one.
create index audit_log_of_wallet on audit_log ((details ->> 'walletAddress'), audit_id) where details ->> 'walletAddress' is not null;
-- What was done since an instant: few lines are behind it, and all before it.
create index audit_log_since on audit_log (created_at);
create function refuse_audit_change() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_audit_change();
create trigger audit_log_no_truncate before truncate on audit_log
  for each statement execute function refuse_audit_change();

-- Entries of the audit log that its sealer has not reached yet.
create table audit_unsealed (
  audit_id bigint primary key
);

-- The chain of hashes over the audit log, as ledger_seals over the books.
create table audit_seals (
  position bigint primary key check (position > 0),
  audit_id bigint not null constraint audit_seals_audit_key unique,
  hash bytea not null check (length(hash) = 32)
);
create function guard_unsealed_audit() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from audit_log a where a.audit_id = new.audit_id)
      or exists (select from audit_seals s where s.audit_id = new.audit_id) then
    raise exception 'line % of the audit log awaits no seal', new.audit_id
      using errcode = 'check_violation', constraint = 'audit_unsealed_awaits';
  end if;
  return null;
end
$$;
create trigger audit_unsealed_awaits after insert on audit_unsealed for each row execute function guard_unsealed_audit();
-- As of the books: with the number of a line that is yet to come, no operator could do anything.
create function guard_audit_seal() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if (not exists (select from audit_log a where a.audit_id = new.audit_id)
      or exists (select from audit_unsealed u where u.audit_id = new.audit_id)
      or new.position > 1 and not exists (select from audit_seals s where s.position = new.position - 1))
      and not is_owners(tg_relid) then
    raise exception 'seal % of line % follows none', new.position, new.audit_id
      using errcode = 'check_violation', constraint = 'audit_seals_follow';
  end if;
  return null;
end
$$;
create trigger audit_seals_follow after insert on audit_seals for each row execute function guard_audit_seal();
create function guard_gone_unsealed_audit() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from audit_seals s where s.audit_id = old.audit_id) and not is_owners(tg_relid) then
    raise exception 'line % of the audit log has no seal', old.audit_id using errcode = 'check_violation', constraint = 'audit_unsealed_goes';
  end if;
  return null;
end
$$;
create trigger audit_unsealed_goes after delete on audit_unsealed for each row execute function guard_gone_unsealed_audit();
create trigger audit_seals_append_only before update or delete on audit_seals
  for each row execute function refuse_audit_change();
create trigger audit_seals_no_truncate before truncate on audit_seals
  for each statement execute function refuse_audit_change();

-- Months of tables are made and dropped with the rights of the tables' owner, by those to whom migrations/grants.sql gives these
-- functions: nobody else could. They take no SQL, change no other table, and make no month far from now.
create function require_months(parent text) returns void
  language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from pg_class where oid = to_regclass(format('public.%I', parent)) and relkind = 'p') then
    raise exception '% is not kept in months', parent;
  end if;
end $$;

-- False when rows of the month lie in the default partition: there they stay.
create function make_month(parent text, first_day date, fill_percent integer) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  name text := parent || to_char(first_day, '_YYYY_MM');
  starts text := first_day || ' 00:00:00+00';
  ends text := (first_day + interval '1 month')::date || ' 00:00:00+00';
  instant text;
  is_late boolean;
begin
  perform require_months(parent);
  if extract(day from first_day) <> 1 or first_day not between now() - interval '10 years' and now() + interval '1 year' then
    raise exception '% is not the first day of a month to be made', first_day;
  end if;
  if to_regclass(format('public.%I', name)) is not null then
    return true;
  end if;
  select a.attname into instant from pg_partitioned_table p
    join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
    where p.partrelid = to_regclass(format('public.%I', parent));
  execute format('select exists (select from public.%I where %I >= %L and %I < %L)',
    parent || '_default', instant, starts, instant, ends) into is_late;
  if is_late then
    return false;
  end if;
  -- The table is made first and then attached, which lets others insert meanwhile; `create table … partition of` does not.
  execute format('create table public.%I (like public.%I including constraints including indexes including storage)
    with (fillfactor = %s)', name, parent, fill_percent);
  execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)', parent, name, starts, ends);
  return true;
end $$;

-- Until the end of the transaction nobody adds to any month of the table.
create function hold_months(parent text) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform require_months(parent);
  execute format('lock table only public.%I in access exclusive mode', parent);
end $$;

-- Refuses what no setting lets anybody drop: partners are promised their answers for 90 days.
create function drop_month(parent text, name text) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  least_days integer := case parent when 'remembered_answers' then 90 when 'batch_attempts' then 30 else 7 end;
  until timestamptz;
begin
  perform require_months(parent);
  select substring(pg_get_expr(c.relpartbound, c.oid) from $bound$ TO \('([^']+)'\)$bound$)::timestamptz into until
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(format('public.%I', parent)) and c.relname = name;
  if until is null or until > now() - least_days * interval '1 day' then
    raise exception '% is not past its retention', name;
  end if;
  execute format('drop table public.%I', name);
end $$;
revoke execute on function make_month, hold_months, drop_month from public;
