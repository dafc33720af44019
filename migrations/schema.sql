-- What the migrations make, read back from the catalogue. Written by `npm run schema:dump`; do not edit.

-- Tables
api_key_uses
api_keys
approvals
audit_log
audit_seals
audit_unsealed
bank_details
bank_imports
bank_left
bank_lines
bank_notified
bank_paid_mints
bank_statements
batch_attempts partition by RANGE (created_at)
batch_attempts_default partition of batch_attempts DEFAULT
batch_explanations
batch_outcomes
batches
chain_limits
chains
corporates
customer_residuals
customers
database_environment
database_timelines
deliveries partition by RANGE (event_at)
deliveries_default partition of deliveries DEFAULT
delivery_attempts partition by RANGE (started_at)
delivery_attempts_default partition of delivery_attempts DEFAULT
events partition by RANGE (created_at)
events_default partition of events DEFAULT
filed_payments
foreign_instructions
foreign_movements
idempotency_keys
integration_remitters
integrations
leases
ledger_book
ledger_carried
ledger_closings
ledger_entries
ledger_flows
ledger_flows_carried
ledger_seals
ledger_totals
ledger_unsealed
lost_chains
lost_keys
lost_orders
mint_usage
operator_answers
operator_sessions
operators
order_holds
orders with (fillfactor=45)
payment_file_stop
payment_files
payout_attempts
payouts
reconcile_cursors
reconcile_open
reconcile_passes
reconcile_runs
reconcile_suspects
reconcile_usage
remembered_answers partition by RANGE (created_at)
remembered_answers_default partition of remembered_answers DEFAULT
reserve_proofs
reserve_proofs_of_days
sandbox_faults
schema_migrations
screening_denials
secrets_key
settlement_holds
signed_orders
signers
simulated_rail_payments
tag_conflicts
timelock_operations
transfer_usage
wallet_earmarks
wallet_links
wallets
webhook_endpoints
withdrawal_usage

-- Columns
api_key_uses.key_id text not null
api_key_uses.last_used_at timestamp with time zone not null
api_key_uses.last_used_from text not null
api_keys.key_id text not null
api_keys.integration_id text not null
api_keys.environment text not null
api_keys.secret_sha256 text not null
api_keys.scopes text[] not null
api_keys.ip_allowlist text[] not null default '{}'::text[]
api_keys.rate_read integer
api_keys.rate_write integer
api_keys.rate_balances integer
api_keys.transfer_tx_cap_micro bigint
api_keys.transfer_day_cap_micro bigint
api_keys.mint_day_cap_micro bigint
api_keys.cap_key_id text
api_keys.expires_at timestamp with time zone
api_keys.revoked_at timestamp with time zone
api_keys.created_at timestamp with time zone not null default now()
approvals.approval_id text not null
approvals.command text not null
approvals.target text not null
approvals.method text not null
approvals.path text not null
approvals.body text not null
approvals.requested_by text not null
approvals.requested_by_name text not null
approvals.created_at timestamp with time zone not null default now()
approvals.expires_at timestamp with time zone not null
approvals.status text not null default 'waiting'::text
approvals.decided_by text
approvals.decided_at timestamp with time zone
approvals.reason text
approvals.withdrawn_by_name text
approvals.execution text
approvals.used_at timestamp with time zone
approvals.outcome text
audit_log.audit_id bigint not null generated always as identity
audit_log.actor text not null
audit_log.origin text not null
audit_log.action text not null
audit_log.target text
audit_log.details jsonb not null default '{}'::jsonb
audit_log.before jsonb
audit_log.after jsonb
audit_log.created_at timestamp with time zone not null default now()
audit_seals.position bigint not null
audit_seals.audit_id bigint not null
audit_seals.hash bytea not null
audit_unsealed.audit_id bigint not null
bank_details.bank_id text not null
bank_details.sealed text not null
bank_details.account_key text
bank_details.text_key text
bank_details.name_keys text[]
bank_details.bic text
bank_details.account_ending text
bank_details.customer_id text
bank_details.payment text
bank_details.created_at timestamp with time zone not null default now()
bank_imports.content_hash text not null
bank_imports.name text not null
bank_imports.definition text
bank_imports.message_id text
bank_imports.created_on date
bank_imports.refusal_code text
bank_imports.refusal_sentence text
bank_imports.imported_at timestamp with time zone not null default now()
bank_left.file_key text not null
bank_left.name text not null
bank_left.reason text not null
bank_left.since timestamp with time zone not null default now()
bank_lines.line_no bigint not null generated always as identity
bank_lines.statement_no bigint not null
bank_lines.bank_account text not null
bank_lines.entry integer not null
bank_lines.detail integer not null
bank_lines.amount_micro bigint not null
bank_lines.booked_on date not null
bank_lines.value_on date not null
bank_lines.is_reversal boolean not null
bank_lines.servicer_reference text
bank_lines.end_to_end_id text
bank_lines.bank_id text
bank_lines.return_code text
bank_lines.own_account text
bank_lines.together jsonb
bank_lines.state text not null default 'unbooked'::text
bank_lines.matched_kind text
bank_lines.matched_to text
bank_lines.reason text
bank_lines.decided_at timestamp with time zone
bank_lines.taken_back integer not null default 0
bank_lines.freed_from text
bank_lines.made_by bigint
bank_lines.allocation bigint
bank_lines.reverses bigint
bank_notified.notified_key text not null
bank_notified.bank_account text not null
bank_notified.amount_micro bigint not null
bank_notified.booked_on date not null
bank_notified.servicer_reference text
bank_notified.end_to_end_id text
bank_notified.bank_id text
bank_notified.content_hash text not null
bank_notified.notification integer not null default 1
bank_notified.own_account text
bank_notified.imported_at timestamp with time zone not null default now()
bank_notified.is_shown boolean not null default false
bank_paid_mints.order_id bigint not null
bank_paid_mints.line_no bigint not null
bank_statements.statement_no bigint not null generated always as identity
bank_statements.bank_account text not null
bank_statements.statement_id text not null
bank_statements.sequence text
bank_statements.opened_on date not null
bank_statements.opening_micro bigint not null
bank_statements.closed_on date not null
bank_statements.closing_micro bigint not null
bank_statements.line_count integer not null
bank_statements.digest text not null
bank_statements.content_hash text not null
bank_statements.position bigint
bank_statements.imported_at timestamp with time zone not null default now()
bank_statements.applied_at timestamp with time zone
bank_statements.withdrawn_at timestamp with time zone
bank_statements.withdrawn_for text
bank_statements.account_digest text
batch_attempts.chain_id bigint not null
batch_attempts.batch_id bigint not null
batch_attempts.tx_hash text not null
batch_attempts.signer text not null
batch_attempts.nonce bigint not null
batch_attempts.raw_transaction bytea not null
batch_attempts.max_fee_per_gas numeric(78,0) not null
batch_attempts.max_priority_fee_per_gas numeric(78,0) not null
batch_attempts.gas_limit bigint not null
batch_attempts.created_at timestamp with time zone not null default now()
batch_attempts.last_broadcast_at timestamp with time zone
batch_attempts.last_answer text
batch_attempts_default.chain_id bigint not null
batch_attempts_default.batch_id bigint not null
batch_attempts_default.tx_hash text not null
batch_attempts_default.signer text not null
batch_attempts_default.nonce bigint not null
batch_attempts_default.raw_transaction bytea not null
batch_attempts_default.max_fee_per_gas numeric(78,0) not null
batch_attempts_default.max_priority_fee_per_gas numeric(78,0) not null
batch_attempts_default.gas_limit bigint not null
batch_attempts_default.created_at timestamp with time zone not null default now()
batch_attempts_default.last_broadcast_at timestamp with time zone
batch_attempts_default.last_answer text
batch_explanations.chain_id bigint not null
batch_explanations.batch_id bigint not null
batch_explanations.reason text not null
batch_explanations.explained_at timestamp with time zone not null default now()
batch_explanations.gives_up boolean not null default false
batch_outcomes.chain_id bigint not null
batch_outcomes.batch_id bigint not null
batch_outcomes.executed smallint[] not null
batch_outcomes.seen_at timestamp with time zone not null default now()
batch_outcomes.reason text
batch_outcomes.explained_at timestamp with time zone
batch_outcomes.beside smallint[] not null default '{}'::smallint[]
batches.chain_id bigint not null
batches.batch_id bigint not null
batches.signer text not null
batches.nonce bigint not null
batches.digest text not null
batches.running_hash text not null
batches.order_ids bigint[] not null
batches.order_count smallint not null
batches.status text not null
batches.is_foreign boolean not null default false
batches.tx_hash text
batches.mined_block bigint
batches.mined_hash text
batches.success_bitmap numeric(78,0)
batches.fencing_token bigint not null
batches.created_at timestamp with time zone not null default now()
batches.moved_at timestamp(3) with time zone
batches.finalized_at timestamp(3) with time zone
batches.settled_at timestamp with time zone
batches.taken_back smallint not null default 0
batches.fence_tag text
batches.fences_on text
batches.signed_on text not null default database_timeline()
chain_limits.chain_id bigint not null
chain_limits.direction text not null
chain_limits.capacity_micro bigint not null
chain_limits.read_at timestamp with time zone not null default now()
chains.chain_id bigint not null
chains.coin_address text not null
chains.settlement_address text not null
chains.genesis_hash text not null
chains.observed_block bigint not null default 0
chains.observed_hash text
chains.observed_at timestamp with time zone not null default now()
chains.next_batch_id bigint not null default 1
chains.running_hash text not null default '0x0000000000000000000000000000000000000000000000000000000000000000'::text
chains.timelock_block bigint
chains.watched_limits text
chains.fenced_on text default database_timeline()
chains.created_at timestamp with time zone not null default now()
corporates.corporate_id text not null
corporates.integration_id text not null
corporates.company_name text not null
corporates.verification_status text not null
corporates.verification_stage text not null
corporates.verified_at timestamp with time zone
corporates.country_code text not null
corporates.industry text not null
corporates.can_mint boolean not null default true
corporates.can_redeem boolean not null default true
corporates.can_payroll boolean not null default true
corporates.created_at timestamp with time zone not null default now()
customer_residuals.customer_id text not null
customer_residuals.owed_micro bigint not null
customer_residuals.reserved_micro bigint not null default 0
customer_residuals.settlements integer not null default 0
customers.customer_id text not null
customers.integration_id text not null
customers.account_type text not null
customers.verification_status text not null
customers.verification_level text not null
customers.verified_at timestamp with time zone
customers.country_code text not null
customers.is_resident boolean not null
customers.monthly_cap_micro bigint not null
customers.can_mint boolean not null default true
customers.can_redeem boolean not null default true
customers.can_transfer boolean not null default true
customers.bank_id text
customers.external_id text
customers.erased_at timestamp with time zone
customers.created_at timestamp with time zone not null default now()
database_environment.is_only boolean not null default true
database_environment.environment text not null
database_environment.since timestamp with time zone not null default now()
database_timelines.timeline text not null
database_timelines.after_order_id bigint not null
database_timelines.newest_order_id bigint not null
database_timelines.created_at timestamp with time zone not null default now()
deliveries.delivery_id bigint not null default nextval('deliveries_delivery_id_seq'::regclass)
deliveries.event_at timestamp with time zone not null
deliveries.next_attempt_at timestamp with time zone not null default now()
deliveries.claimed_until timestamp with time zone
deliveries.scheduled_from timestamp with time zone
deliveries.created_at timestamp with time zone
deliveries.claim integer not null default 0
deliveries.attempts smallint not null default 0
deliveries.status text not null default 'due'::text
deliveries.endpoint_id text not null
deliveries.event_id text not null
deliveries_default.delivery_id bigint not null default nextval('deliveries_delivery_id_seq'::regclass)
deliveries_default.event_at timestamp with time zone not null
deliveries_default.next_attempt_at timestamp with time zone not null default now()
deliveries_default.claimed_until timestamp with time zone
deliveries_default.scheduled_from timestamp with time zone
deliveries_default.created_at timestamp with time zone
deliveries_default.claim integer not null default 0
deliveries_default.attempts smallint not null default 0
deliveries_default.status text not null default 'due'::text
deliveries_default.endpoint_id text not null
deliveries_default.event_id text not null
delivery_attempts.delivery_id bigint not null
delivery_attempts.attempt integer not null
delivery_attempts.started_at timestamp with time zone not null
delivery_attempts.duration_ms integer not null
delivery_attempts.http_status integer
delivery_attempts.error text
delivery_attempts.response_excerpt text
delivery_attempts_default.delivery_id bigint not null
delivery_attempts_default.attempt integer not null
delivery_attempts_default.started_at timestamp with time zone not null
delivery_attempts_default.duration_ms integer not null
delivery_attempts_default.http_status integer
delivery_attempts_default.error text
delivery_attempts_default.response_excerpt text
events.event_seq bigint not null default nextval('events_event_seq_seq'::regclass)
events.amount_micro bigint not null
events.block_number bigint
events.happened_at timestamp(3) with time zone not null
events.created_at timestamp with time zone not null default now()
events.transaction_id xid8 not null default pg_current_xact_id()
events.event_id text not null
events.type text not null
events.integration_id text not null
events.reference_id text not null
events.tx_hash bytea
events_default.event_seq bigint not null default nextval('events_event_seq_seq'::regclass)
events_default.amount_micro bigint not null
events_default.block_number bigint
events_default.happened_at timestamp(3) with time zone not null
events_default.created_at timestamp with time zone not null default now()
events_default.transaction_id xid8 not null default pg_current_xact_id()
events_default.event_id text not null
events_default.type text not null
events_default.integration_id text not null
events_default.reference_id text not null
events_default.tx_hash bytea
filed_payments.end_to_end_id text not null
filed_payments.payout_id text
filed_payments.amount_sen bigint not null
filed_payments.bank_id text not null
filed_payments.is_resident boolean not null
filed_payments.remittance text not null
filed_payments.accepted_at timestamp with time zone not null default now()
filed_payments.message_id text
filed_payments.not_opened_since timestamp with time zone
filed_payments.passed_over_at timestamp with time zone
filed_payments.withdrawn_at timestamp with time zone
filed_payments.status_code text
filed_payments.meaning text
filed_payments.status_reason text
filed_payments.reported_at timestamp with time zone
foreign_instructions.chain_id bigint not null
foreign_instructions.batch_id bigint not null
foreign_instructions.instruction_index smallint not null
foreign_instructions.tag text not null
foreign_instructions.direction text not null
foreign_instructions.wallet_address text not null
foreign_instructions.debit_address text
foreign_instructions.amount_micro numeric(20,0) not null
foreign_instructions.succeeded boolean not null
foreign_instructions.order_id bigint
foreign_instructions.not_of_order_id bigint
foreign_movements.movement_id bigint not null generated always as identity
foreign_movements.chain_id bigint not null
foreign_movements.kind text not null
foreign_movements.details text not null
foreign_movements.after_block bigint not null
foreign_movements.seen_block bigint not null
foreign_movements.batch_id bigint
foreign_movements.digest text
foreign_movements.amount_micro numeric(40,0)
foreign_movements.transactions jsonb not null default '[]'::jsonb
foreign_movements.pauses boolean not null
foreign_movements.seen_at timestamp with time zone not null default now()
foreign_movements.ended_at timestamp with time zone
idempotency_keys.integration_id text not null
idempotency_keys.idempotency_key text not null
idempotency_keys.fingerprint bytea not null
idempotency_keys.order_id bigint not null
idempotency_keys.first_answer text
idempotency_keys.answered_at timestamp with time zone
integration_remitters.bank_id text not null
integration_remitters.integration_id text not null
integration_remitters.created_at timestamp with time zone not null default now()
integrations.integration_id text not null
integrations.name text not null
integrations.status text not null default 'active'::text
integrations.dpa_signed_on date
integrations.created_at timestamp with time zone not null default now()
leases.name text not null
leases.holder text not null
leases.token bigint not null
leases.expires_at timestamp with time zone not null
leases.lasts interval not null
ledger_book.is_only boolean not null default true
ledger_book.timezone text not null default 'Asia/Kuala_Lumpur'::text
ledger_book.closed_through date
ledger_carried.through date not null
ledger_carried.account text not null
ledger_carried.balance_micro numeric(40,0) not null
ledger_closings.through date not null
ledger_closings.closed_at timestamp with time zone not null default now()
ledger_closings.unpaid jsonb not null
ledger_entries.entry_id bigint not null generated always as identity
ledger_entries.reference text not null collate "C"
ledger_entries.effective_at timestamp with time zone not null
ledger_entries.recorded_at timestamp with time zone not null default now()
ledger_entries.day date not null
ledger_entries.accounts text[] not null
ledger_entries.amounts_micro numeric(30,0)[] not null
ledger_flows.day date not null
ledger_flows.integration_id text not null
ledger_flows.chain_id bigint not null
ledger_flows.minted_micro numeric(40,0) not null
ledger_flows.refunded_micro numeric(40,0) not null
ledger_flows.redeemed_micro numeric(40,0) not null
ledger_flows.transferred_micro numeric(40,0) not null
ledger_flows.fees_micro numeric(40,0) not null
ledger_flows_carried.through date not null
ledger_flows_carried.integration_id text not null
ledger_flows_carried.chain_id bigint not null
ledger_flows_carried.issued_micro numeric(40,0) not null
ledger_seals.position bigint not null
ledger_seals.entry_id bigint not null
ledger_seals.hash bytea not null
ledger_totals.account text not null
ledger_totals.day date not null
ledger_totals.debit_micro numeric(40,0) not null
ledger_totals.credit_micro numeric(40,0) not null
ledger_unsealed.entry_id bigint not null
lost_chains.chain_id bigint not null
lost_chains.reason text not null
lost_chains.lost_by text not null
lost_chains.lost_at timestamp with time zone not null default now()
lost_keys.key_id text not null
lost_keys.through_statement bigint not null
lost_keys.reason text not null
lost_keys.said_at timestamp with time zone not null default now()
lost_orders.order_id bigint not null
lost_orders.chain_id bigint not null
lost_orders.batch_id bigint not null
lost_orders.lost_at timestamp with time zone not null default now()
lost_orders.remint text
lost_orders.closed_at timestamp with time zone
lost_orders.executed boolean not null default false
lost_orders.undone boolean not null default false
lost_orders.turns smallint not null default 0
mint_usage.key_id text not null
mint_usage.day date not null
mint_usage.committed_micro bigint not null
mint_usage.cap_micro bigint not null
operator_answers.asked_by text not null
operator_answers.idempotency_key text not null
operator_answers.answer text
operator_answers.answered_at timestamp with time zone not null default now()
operator_sessions.secret_sha256 text not null
operator_sessions.operator_id text
operator_sessions.token_sha256 text
operator_sessions.made_in text
operator_sessions.created_at timestamp with time zone not null default now()
operator_sessions.last_used_at timestamp with time zone not null default now()
operator_sessions.expires_at timestamp with time zone not null
operators.operator_id text not null
operators.name text not null
operators.role text not null
operators.secret_sha256 text
operators.token_seen_by text
operators.issuer text
operators.subject text
operators.is_emergency boolean not null default false
operators.emergency_of text
operators.created_at timestamp with time zone not null default now()
operators.signed_in_at timestamp with time zone
operators.disabled_at timestamp with time zone
operators.lost_group boolean not null default false
order_holds.order_id bigint not null
order_holds.reason text not null
orders.order_id bigint not null generated always as identity
orders.chain_id bigint not null
orders.amount_micro bigint not null
orders.fee_micro bigint not null default 0
orders.created_at timestamp(3) with time zone not null default now()
orders.updated_at timestamp(3) with time zone
orders.batch_id bigint
orders.block_number bigint
orders.mint_cap_day date
orders.batch_index smallint
orders.is_held boolean not null default false
orders.mint_cap_key_id text
orders.status text not null
orders.tx_hash bytea
orders.failure_reason text
orders.integration_id text not null
orders.reference_id text not null
orders.direction text not null
orders.network text not null
orders.token_address text not null
orders.wallet_address text not null
orders.debit_address text
orders.customer_id text not null
orders.key_id text not null
orders.bank_reference text
payment_file_stop.is_only boolean not null default true
payment_file_stop.reason text not null
payment_file_stop.since timestamp with time zone not null default now()
payment_files.message_id text not null
payment_files.prefix text not null
payment_files.file_number integer not null
payment_files.content text not null
payment_files.content_hash text not null
payment_files.created_at timestamp with time zone not null default now()
payment_files.put_out_at timestamp with time zone
payment_files.not_opened_since timestamp with time zone
payment_files.withdrawn_at timestamp with time zone
payment_files.withdrawn_for text
payment_files.is_read_back boolean not null default false
payout_attempts.payout_id text not null
payout_attempts.attempt smallint not null
payout_attempts.end_to_end_id text not null
payout_attempts.rail text not null
payout_attempts.bank_id text
payout_attempts.status text not null default 'asked'::text
payout_attempts.is_extra boolean not null default false
payout_attempts.times_sent smallint not null default 0
payout_attempts.rail_reference text
payout_attempts.paid_from text
payout_attempts.paid_reference text
payout_attempts.returned_to text
payout_attempts.returned_reference text
payout_attempts.is_shown boolean not null default false
payout_attempts.is_called_unpaid boolean not null default false
payout_attempts.reason text
payout_attempts.asked_at timestamp with time zone not null default now()
payout_attempts.asked_on text not null default database_timeline()
payout_attempts.updated_at timestamp with time zone not null default now()
payouts.payout_id text not null
payouts.order_id bigint
payouts.integration_id text
payouts.chain_id bigint
payouts.reference_id text
payouts.customer_id text not null
payouts.amount_sen bigint not null
payouts.rail text
payouts.status text not null
payouts.status_since timestamp with time zone not null default now()
payouts.hold_reason text
payouts.owner text
payouts.attempt smallint not null default 1
payouts.end_to_end_id text not null
payouts.ask_first boolean not null default false
payouts.refunds smallint not null default 0
payouts.by_hand smallint not null default 0
payouts.retries smallint not null default 0
payouts.burn text
payouts.times_asked integer not null default 0
payouts.next_attempt_at timestamp with time zone not null default now()
payouts.claimed_until timestamp with time zone
payouts.bank_id text
payouts.rail_reference text
payouts.last_error text
payouts.made_on text not null default database_timeline()
payouts.unretried_on text
payouts.created_at timestamp with time zone not null default now()
payouts.updated_at timestamp with time zone not null default now()
reconcile_cursors.what text not null
reconcile_cursors.position bigint not null
reconcile_open.pass_no bigint not null
reconcile_open.order_id bigint not null
reconcile_passes.pass_no bigint not null generated always as identity
reconcile_passes.month date not null
reconcile_passes.after_order_id bigint not null
reconcile_passes.through_order_id bigint not null
reconcile_passes.is_complete boolean not null default false
reconcile_passes.disputed jsonb not null default '[]'::jsonb
reconcile_runs.run_id bigint not null generated always as identity
reconcile_runs.finished_at timestamp with time zone not null default now()
reconcile_runs.duration_ms integer not null
reconcile_runs.differences jsonb not null
reconcile_suspects.what text not null
reconcile_suspects.subject text not null
reconcile_usage.pass_no bigint not null
reconcile_usage.direction text not null
reconcile_usage.owner text not null
reconcile_usage.period date not null
reconcile_usage.amount_micro numeric(40,0) not null
remembered_answers.integration_id text not null
remembered_answers.idempotency_key text not null
remembered_answers.status smallint not null
remembered_answers.body text not null
remembered_answers.created_at timestamp with time zone not null
remembered_answers_default.integration_id text not null
remembered_answers_default.idempotency_key text not null
remembered_answers_default.status smallint not null
remembered_answers_default.body text not null
remembered_answers_default.created_at timestamp with time zone not null
reserve_proofs.is_only boolean not null default true
reserve_proofs.made_at timestamp with time zone not null
reserve_proofs.proof jsonb not null
reserve_proofs_of_days.day date not null
reserve_proofs_of_days.made_at timestamp with time zone not null
reserve_proofs_of_days.proof jsonb not null
sandbox_faults.key_id text not null
sandbox_faults.answer text not null
sandbox_faults.orders_only boolean not null
sandbox_faults.remaining integer not null
sandbox_faults.expires_at timestamp with time zone not null
schema_migrations.version integer not null
schema_migrations.name text not null
schema_migrations.checksum text not null
schema_migrations.expands boolean not null
schema_migrations.applied_at timestamp with time zone not null default now()
screening_denials.address text not null
screening_denials.created_at timestamp with time zone not null default now()
secrets_key.is_next boolean not null default false
secrets_key.sealed text not null
settlement_holds.chain_id bigint not null
settlement_holds.reason text not null
settlement_holds.details text
settlement_holds.blocked text[] not null default '{}'::text[]
settlement_holds.history_read_on text
settlement_holds.since timestamp with time zone not null default now()
settlement_holds.seen_at timestamp with time zone not null default now()
signed_orders.order_id bigint not null
signed_orders.batch_id bigint
signed_orders.since timestamp(3) with time zone not null default now()
signed_orders.batch_index smallint
signed_orders.abandoned_batch_id bigint
signers.chain_id bigint not null
signers.address text not null
signers.next_nonce bigint not null
simulated_rail_payments.end_to_end_id text not null
simulated_rail_payments.payout_id text not null
simulated_rail_payments.amount_sen bigint not null
simulated_rail_payments.bank_id text not null
simulated_rail_payments.behaviour text
simulated_rail_payments.reference text not null
simulated_rail_payments.created_at timestamp with time zone not null default now()
tag_conflicts.order_id bigint not null
tag_conflicts.chain_id bigint not null
tag_conflicts.tag text not null
tag_conflicts.created_at timestamp with time zone not null default now()
timelock_operations.chain_id bigint not null
timelock_operations.operation_id text not null
timelock_operations.calls jsonb not null
timelock_operations.tx_hash text not null
timelock_operations.scheduled_block bigint not null
timelock_operations.sent_by text
timelock_operations.status text not null
timelock_operations.ready_at timestamp with time zone
timelock_operations.ended_block bigint
timelock_operations.seen_at timestamp with time zone not null default now()
transfer_usage.key_id text not null
transfer_usage.day date not null
transfer_usage.committed_micro bigint not null
transfer_usage.cap_micro bigint not null
wallet_earmarks.chain_id bigint not null
wallet_earmarks.address text not null
wallet_earmarks.earmarked_micro bigint not null
wallet_earmarks.epoch bigint not null default 0
wallet_earmarks.facts_epoch bigint not null default 0
wallet_earmarks.balance_micro numeric(78,0)
wallet_links.customer_id text not null
wallet_links.address text not null
wallet_links.chain_id bigint not null
wallet_links.consent text
wallet_links.consent_deadline bigint
wallet_links.begun_at timestamp with time zone not null default now()
wallet_links.linked_at timestamp with time zone
wallets.customer_id text not null
wallets.address text not null
wallets.is_primary boolean not null default false
wallets.created_at timestamp with time zone not null default now()
webhook_endpoints.endpoint_id text not null
webhook_endpoints.integration_id text not null
webhook_endpoints.url text not null
webhook_endpoints.event_types text[]
webhook_endpoints.status text not null default 'enabled'::text
webhook_endpoints.disabled_reason text
webhook_endpoints.secret_encrypted text
webhook_endpoints.next_secret_encrypted text
webhook_endpoints.created_at timestamp with time zone not null default now()
webhook_endpoints.updated_at timestamp with time zone not null default now()
withdrawal_usage.customer_id text not null
withdrawal_usage.month date not null
withdrawal_usage.committed_micro bigint not null
withdrawal_usage.cap_micro bigint not null

-- Constraints
api_key_uses api_key_uses_last_used_from_check CHECK ((length(last_used_from) <= 100))
api_key_uses api_key_uses_pkey PRIMARY KEY (key_id)
api_keys api_keys_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'live'::text])))
api_keys api_keys_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(integration_id)
api_keys api_keys_key_id_check CHECK ((key_id ~ '^[0-9a-f]{16}$'::text))
api_keys api_keys_mint_day_cap_micro_check CHECK ((mint_day_cap_micro >= 0))
api_keys api_keys_pkey PRIMARY KEY (key_id)
api_keys api_keys_rate_balances_check CHECK ((rate_balances > 0))
api_keys api_keys_rate_read_check CHECK ((rate_read > 0))
api_keys api_keys_rate_write_check CHECK ((rate_write > 0))
api_keys api_keys_secret_sha256_check CHECK ((secret_sha256 ~ '^[0-9a-f]{64}$'::text))
api_keys api_keys_transfer_day_cap_micro_check CHECK ((transfer_day_cap_micro >= 0))
api_keys api_keys_transfer_tx_cap_micro_check CHECK ((transfer_tx_cap_micro >= 0))
approvals approvals_approval_id_check CHECK ((approval_id ~ '^apr_[0-9a-f]{16}$'::text))
approvals approvals_body_check CHECK ((starts_with(body, 'sb1.'::text) AND (length(body) <= 100000)))
approvals approvals_by_another CHECK ((decided_by <> requested_by))
approvals approvals_decided CHECK (((status <> ALL (ARRAY['approved'::text, 'used'::text, 'void'::text])) OR (decided_by IS NOT NULL)))
approvals approvals_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES operators(operator_id)
approvals approvals_execution_key UNIQUE (execution)
approvals approvals_pkey PRIMARY KEY (approval_id)
approvals approvals_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text, 'used'::text, 'void'::text])))
approvals approvals_used CHECK ((((status = 'used'::text) = (execution IS NOT NULL)) AND ((execution IS NULL) = (used_at IS NULL))))
approvals approvals_withdrawn CHECK (((status = 'withdrawn'::text) = (withdrawn_by_name IS NOT NULL)))
audit_log audit_log_pkey PRIMARY KEY (audit_id)
audit_seals audit_seals_audit_key UNIQUE (audit_id)
audit_seals audit_seals_hash_check CHECK ((length(hash) = 32))
audit_seals audit_seals_pkey PRIMARY KEY ("position")
audit_seals audit_seals_position_check CHECK (("position" > 0))
audit_unsealed audit_unsealed_pkey PRIMARY KEY (audit_id)
bank_details bank_details_account_ending_check CHECK ((length(account_ending) <= 4))
bank_details bank_details_account_key_check CHECK ((account_key ~ '^[0-9a-f]{32}$'::text))
bank_details bank_details_bank_id_check CHECK ((bank_id ~ '^bnk_[0-9a-f]{24}$'::text))
bank_details bank_details_of_customer_unique UNIQUE (bank_id, customer_id)
bank_details bank_details_pkey PRIMARY KEY (bank_id)
bank_details bank_details_sealed_check CHECK (starts_with(sealed, 'sb1.'::text))
bank_details bank_details_text_key_check CHECK ((text_key ~ '^[0-9a-f]{32}$'::text))
bank_imports bank_imports_content_hash_check CHECK ((content_hash ~ '^[0-9a-f]{64}$'::text))
bank_imports bank_imports_pkey PRIMARY KEY (content_hash)
bank_imports bank_imports_refused_for_a_reason CHECK (((refusal_code IS NULL) = (refusal_sentence IS NULL)))
bank_imports bank_imports_taken_are_known CHECK (((refusal_code IS NOT NULL) OR (num_nulls(definition, message_id) = 0)))
bank_left bank_left_pkey PRIMARY KEY (file_key)
bank_left bank_left_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
bank_lines bank_lines_allocated_by_one CHECK (((state <> 'allocated'::text) OR (allocation IS NOT NULL)))
bank_lines bank_lines_amount_micro_check CHECK ((amount_micro <> 0))
bank_lines bank_lines_check CHECK ((own_account <> bank_account))
bank_lines bank_lines_decided_at CHECK (((state = 'unbooked'::text) = (decided_at IS NULL)))
bank_lines bank_lines_made_by_check CHECK ((made_by > 0))
bank_lines bank_lines_matched_kind_check CHECK ((matched_kind = ANY (ARRAY['payout'::text, 'extra_payout'::text, 'mint'::text, 'remitter'::text, 'fees'::text, 'own_funds'::text, 'own_transfer'::text, 'claim'::text])))
bank_lines bank_lines_matched_to_something CHECK (((state = ANY (ARRAY['matched'::text, 'assigned'::text])) = ((matched_kind IS NOT NULL) AND (matched_to IS NOT NULL))))
bank_lines bank_lines_pkey PRIMARY KEY (line_no)
bank_lines bank_lines_place UNIQUE (statement_no, entry, detail)
bank_lines bank_lines_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
bank_lines bank_lines_reverses_a_credit CHECK (((reverses IS NULL) OR ((state = 'assigned'::text) AND (amount_micro < 0) AND (matched_kind = ANY (ARRAY['remitter'::text, 'fees'::text])))))
bank_lines bank_lines_reverses_fkey FOREIGN KEY (reverses) REFERENCES bank_lines(line_no)
bank_lines bank_lines_state_check CHECK ((state = ANY (ARRAY['unbooked'::text, 'matched'::text, 'unallocated'::text, 'assigned'::text, 'allocated'::text, 'dissolved'::text])))
bank_lines bank_lines_statement_no_fkey FOREIGN KEY (statement_no) REFERENCES bank_statements(statement_no)
bank_lines bank_lines_taken_back_check CHECK ((taken_back >= 0))
bank_lines bank_lines_together_check CHECK (((together IS NULL) OR COALESCE((jsonb_typeof((together -> 'names'::text)) = 'array'::text), false)))
bank_lines bank_lines_unallocated_for_a_reason CHECK (((state <> ALL (ARRAY['unallocated'::text, 'assigned'::text])) OR (reason IS NOT NULL)))
bank_notified bank_notified_amount_micro_check CHECK ((amount_micro <> 0))
bank_notified bank_notified_check CHECK ((own_account <> bank_account))
bank_notified bank_notified_content_hash_fkey FOREIGN KEY (content_hash) REFERENCES bank_imports(content_hash)
bank_notified bank_notified_notified_key_check CHECK ((notified_key ~ '^[0-9a-f]{64}$'::text))
bank_notified bank_notified_pkey PRIMARY KEY (notified_key)
bank_paid_mints bank_paid_mints_line_no_fkey FOREIGN KEY (line_no) REFERENCES bank_lines(line_no)
bank_paid_mints bank_paid_mints_pkey PRIMARY KEY (order_id)
bank_statements bank_statements_account_digest_check CHECK ((account_digest ~ '^[0-9a-f]{64}$'::text))
bank_statements bank_statements_applied_whole CHECK ((("position" IS NULL) = (applied_at IS NULL)))
bank_statements bank_statements_content_hash_fkey FOREIGN KEY (content_hash) REFERENCES bank_imports(content_hash)
bank_statements bank_statements_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text))
bank_statements bank_statements_line_count_check CHECK ((line_count >= 0))
bank_statements bank_statements_pkey PRIMARY KEY (statement_no)
bank_statements bank_statements_position UNIQUE (bank_account, "position")
bank_statements bank_statements_position_check CHECK (("position" > 0))
bank_statements bank_statements_withdrawn_for_check CHECK (((length(withdrawn_for) >= 1) AND (length(withdrawn_for) <= 500)))
bank_statements bank_statements_withdrawn_or_applied CHECK (((withdrawn_at IS NULL) OR ("position" IS NULL)))
bank_statements bank_statements_withdrawn_whole CHECK (((withdrawn_at IS NULL) = (withdrawn_for IS NULL)))
batch_attempts batch_attempts_max_fee_per_gas_check CHECK (((max_fee_per_gas >= (0)::numeric) AND (max_fee_per_gas < 'NaN'::numeric)))
batch_attempts batch_attempts_max_priority_fee_per_gas_check CHECK (((max_priority_fee_per_gas >= (0)::numeric) AND (max_priority_fee_per_gas < 'NaN'::numeric)))
batch_attempts batch_attempts_pkey PRIMARY KEY (chain_id, tx_hash, created_at)
batch_attempts_default batch_attempts_default_pkey PRIMARY KEY (chain_id, tx_hash, created_at)
batch_attempts_default batch_attempts_max_fee_per_gas_check CHECK (((max_fee_per_gas >= (0)::numeric) AND (max_fee_per_gas < 'NaN'::numeric)))
batch_attempts_default batch_attempts_max_priority_fee_per_gas_check CHECK (((max_priority_fee_per_gas >= (0)::numeric) AND (max_priority_fee_per_gas < 'NaN'::numeric)))
batch_explanations batch_explanations_chain_id_batch_id_fkey FOREIGN KEY (chain_id, batch_id) REFERENCES batches(chain_id, batch_id)
batch_explanations batch_explanations_pkey PRIMARY KEY (chain_id, batch_id)
batch_explanations batch_explanations_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
batch_outcomes batch_outcomes_chain_id_batch_id_fkey FOREIGN KEY (chain_id, batch_id) REFERENCES batches(chain_id, batch_id)
batch_outcomes batch_outcomes_pkey PRIMARY KEY (chain_id, batch_id)
batch_outcomes batch_outcomes_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
batch_outcomes batch_outcomes_say_why CHECK (((reason IS NULL) = (explained_at IS NULL)))
batches batches_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id)
batches batches_fence_alone CHECK (
CASE
    WHEN (fence_tag IS NULL) THEN (fences_on IS NULL)
    ELSE ((NOT is_foreign) AND (order_count = 1) AND (cardinality(order_ids) = 0))
END)
batches batches_fit_status CHECK (
CASE status
    WHEN 'mined'::text THEN ((num_nulls(tx_hash, mined_block, mined_hash) = 0) AND (num_nonnulls(success_bitmap, finalized_at) = 0))
    WHEN 'final'::text THEN (num_nulls(tx_hash, mined_block, mined_hash, success_bitmap, finalized_at) = 0)
    ELSE (num_nonnulls(mined_block, mined_hash, success_bitmap, finalized_at) = 0)
END)
batches batches_list_orders CHECK ((is_foreign OR (order_count = cardinality(order_ids)) OR (fence_tag IS NOT NULL)))
batches batches_order_count_check CHECK (((order_count >= 1) AND (order_count <= 255)))
batches batches_pkey PRIMARY KEY (chain_id, batch_id)
batches batches_status_check CHECK ((status = ANY (ARRAY['signed'::text, 'mined'::text, 'final'::text, 'abandoned'::text])))
batches batches_success_bitmap_check CHECK (((success_bitmap >= (0)::numeric) AND (success_bitmap < 'NaN'::numeric)))
chain_limits chain_limits_capacity_micro_check CHECK ((capacity_micro >= 0))
chain_limits chain_limits_direction_check CHECK ((direction = ANY (ARRAY['MINT'::text, 'REDEEM'::text, 'TRANSFER'::text])))
chain_limits chain_limits_pkey PRIMARY KEY (chain_id, direction)
chains chains_pkey PRIMARY KEY (chain_id)
corporates corporates_country_code_check CHECK ((country_code ~ '^[A-Z]{2}$'::text))
corporates corporates_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(integration_id)
corporates corporates_pkey PRIMARY KEY (corporate_id)
corporates corporates_verification_status_check CHECK ((verification_status = ANY (ARRAY['UNVERIFIED'::text, 'PENDING'::text, 'VERIFIED'::text, 'REJECTED'::text, 'SUSPENDED'::text])))
corporates corporates_verified_at_only_when_verified CHECK (((verification_status = 'VERIFIED'::text) = (verified_at IS NOT NULL)))
customer_residuals customer_residuals_not_negative CHECK ((owed_micro > '-10000'::integer))
customer_residuals customer_residuals_pkey PRIMARY KEY (customer_id)
customer_residuals customer_residuals_reserved CHECK (((reserved_micro >= 0) AND (reserved_micro <= GREATEST(owed_micro, (0)::bigint))))
customers customers_account_type_check CHECK ((account_type = ANY (ARRAY['RETAIL'::text, 'ENTERPRISE'::text])))
customers customers_country_code_check CHECK ((country_code ~ '^[A-Z]{2}$'::text))
customers customers_erased CHECK (((erased_at IS NULL) OR ((bank_id IS NULL) AND (external_id IS NULL) AND (verification_status = 'SUSPENDED'::text) AND (NOT (can_mint OR can_redeem OR can_transfer)))))
customers customers_external_id UNIQUE (integration_id, external_id)
customers customers_external_id_check CHECK (((length(external_id) >= 1) AND (length(external_id) <= 100)))
customers customers_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(integration_id)
customers customers_monthly_cap_micro_check CHECK ((monthly_cap_micro >= 0))
customers customers_own_bank FOREIGN KEY (bank_id, customer_id) REFERENCES bank_details(bank_id, customer_id)
customers customers_pkey PRIMARY KEY (customer_id)
customers customers_verification_status_check CHECK ((verification_status = ANY (ARRAY['UNVERIFIED'::text, 'PENDING'::text, 'VERIFIED'::text, 'REJECTED'::text, 'SUSPENDED'::text])))
customers customers_verified_at_only_when_verified CHECK (((verification_status = 'VERIFIED'::text) = (verified_at IS NOT NULL)))
database_environment database_environment_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'live'::text])))
database_environment database_environment_is_only_check CHECK (is_only)
database_environment database_environment_pkey PRIMARY KEY (is_only)
database_timelines database_timelines_pkey PRIMARY KEY (timeline)
deliveries deliveries_next_attempt_at_check CHECK (isfinite(next_attempt_at))
deliveries deliveries_once_per_endpoint UNIQUE (endpoint_id, event_at, event_id)
deliveries deliveries_pkey PRIMARY KEY (delivery_id, event_at)
deliveries deliveries_status_check CHECK ((status = ANY (ARRAY['due'::text, 'delivered'::text, 'exhausted'::text, 'dropped'::text])))
deliveries_default deliveries_default_endpoint_id_event_at_event_id_key UNIQUE (endpoint_id, event_at, event_id)
deliveries_default deliveries_default_pkey PRIMARY KEY (delivery_id, event_at)
deliveries_default deliveries_next_attempt_at_check CHECK (isfinite(next_attempt_at))
deliveries_default deliveries_status_check CHECK ((status = ANY (ARRAY['due'::text, 'delivered'::text, 'exhausted'::text, 'dropped'::text])))
delivery_attempts delivery_attempts_pkey PRIMARY KEY (delivery_id, attempt, started_at)
delivery_attempts_default delivery_attempts_default_pkey PRIMARY KEY (delivery_id, attempt, started_at)
events events_pkey PRIMARY KEY (event_id, created_at)
events events_tx_hash_check CHECK ((length(tx_hash) = 32))
events_default events_default_pkey PRIMARY KEY (event_id, created_at)
events_default events_tx_hash_check CHECK ((length(tx_hash) = 32))
filed_payments filed_payments_amount_sen_check CHECK ((amount_sen > 0))
filed_payments filed_payments_meaning_check CHECK ((meaning = ANY (ARRAY['accepted'::text, 'sent'::text, 'paid'::text, 'rejected'::text, 'unknown'::text])))
filed_payments filed_payments_message_id_fkey FOREIGN KEY (message_id) REFERENCES payment_files(message_id)
filed_payments filed_payments_pkey PRIMARY KEY (end_to_end_id)
filed_payments filed_payments_report_whole CHECK ((num_nonnulls(status_code, meaning, reported_at) = ANY (ARRAY[0, 3])))
foreign_instructions foreign_instructions_amount_micro_check CHECK (((amount_micro >= (0)::numeric) AND (amount_micro < 'NaN'::numeric)))
foreign_instructions foreign_instructions_chain_id_batch_id_fkey FOREIGN KEY (chain_id, batch_id) REFERENCES batches(chain_id, batch_id)
foreign_instructions foreign_instructions_direction_check CHECK ((direction = ANY (ARRAY['MINT'::text, 'REDEEM'::text, 'TRANSFER'::text])))
foreign_instructions foreign_instructions_once UNIQUE (order_id, direction)
foreign_instructions foreign_instructions_one_verdict CHECK (((order_id IS DISTINCT FROM not_of_order_id) OR (order_id IS NULL)))
foreign_instructions foreign_instructions_pkey PRIMARY KEY (chain_id, batch_id, instruction_index)
foreign_movements foreign_movements_amount_micro_check CHECK ((amount_micro < 'NaN'::numeric))
foreign_movements foreign_movements_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id)
foreign_movements foreign_movements_kind_check CHECK ((kind = ANY (ARRAY['batch'::text, 'supply'::text, 'role'::text, 'limit'::text, 'code'::text, 'timelock'::text])))
foreign_movements foreign_movements_of_batch CHECK ((((kind = 'batch'::text) = (batch_id IS NOT NULL)) AND ((kind = 'batch'::text) = (digest IS NOT NULL))))
foreign_movements foreign_movements_pkey PRIMARY KEY (movement_id)
foreign_movements foreign_movements_transactions_check CHECK (
CASE jsonb_typeof(transactions)
    WHEN 'array'::text THEN (NOT jsonb_path_exists(transactions, 'strict $[*]?(@.type() != "object")'::jsonpath))
    ELSE false
END)
idempotency_keys idempotency_keys_first_answer_check CHECK ((first_answer = ANY (ARRAY['payment_pending'::text, 'pending'::text])))
idempotency_keys idempotency_keys_one_answer CHECK (((first_answer IS NULL) = (answered_at IS NOT NULL)))
idempotency_keys idempotency_keys_unique PRIMARY KEY (integration_id, idempotency_key)
integration_remitters integration_remitters_bank_id_fkey FOREIGN KEY (bank_id) REFERENCES bank_details(bank_id)
integration_remitters integration_remitters_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(integration_id)
integration_remitters integration_remitters_pkey PRIMARY KEY (bank_id)
integrations integrations_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
integrations integrations_pkey PRIMARY KEY (integration_id)
integrations integrations_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text])))
leases leases_pkey PRIMARY KEY (name)
ledger_book ledger_book_is_only_check CHECK (is_only)
ledger_book ledger_book_pkey PRIMARY KEY (is_only)
ledger_carried ledger_carried_balance_micro_check CHECK ((balance_micro < 'NaN'::numeric))
ledger_carried ledger_carried_pkey PRIMARY KEY (through, account)
ledger_carried ledger_carried_through_fkey FOREIGN KEY (through) REFERENCES ledger_closings(through) DEFERRABLE
ledger_closings ledger_closings_pkey PRIMARY KEY (through)
ledger_entries ledger_entries_accounts CHECK ((array_to_string(accounts, ' '::text) ~ '^((reserve|mint_receivable|fees_receivable|coins|redeem_payable|payout_clearing|residual|fees|unallocated|claims|own_funds|own_transfers):[^ ]+( |$))+$'::text))
ledger_entries ledger_entries_balanced CHECK ((ledger_sum(amounts_micro) = (0)::numeric))
ledger_entries ledger_entries_lines CHECK (((array_ndims(accounts) = 1) AND (array_ndims(amounts_micro) = 1) AND (cardinality(accounts) >= 2) AND (cardinality(accounts) = cardinality(amounts_micro)) AND (array_position(accounts, NULL::text) IS NULL) AND (array_position(amounts_micro, NULL::numeric) IS NULL) AND (array_position(amounts_micro, (0)::numeric) IS NULL)))
ledger_entries ledger_entries_on_a_day CHECK (isfinite(day))
ledger_entries ledger_entries_pkey PRIMARY KEY (entry_id)
ledger_entries ledger_entries_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 300)))
ledger_entries ledger_entries_reference_key UNIQUE (reference)
ledger_flows ledger_flows_fees_micro_check CHECK (((fees_micro >= '-1000000000000000000000000000000000000'::numeric) AND (fees_micro <= '1000000000000000000000000000000000000'::numeric)))
ledger_flows ledger_flows_minted_micro_check CHECK (((minted_micro >= (0)::numeric) AND (minted_micro <= '1000000000000000000000000000000000000'::numeric)))
ledger_flows ledger_flows_pkey PRIMARY KEY (day, integration_id, chain_id)
ledger_flows ledger_flows_redeemed_micro_check CHECK (((redeemed_micro >= (0)::numeric) AND (redeemed_micro <= '1000000000000000000000000000000000000'::numeric)))
ledger_flows ledger_flows_refunded_micro_check CHECK (((refunded_micro >= (0)::numeric) AND (refunded_micro <= '1000000000000000000000000000000000000'::numeric)))
ledger_flows ledger_flows_transferred_micro_check CHECK (((transferred_micro >= (0)::numeric) AND (transferred_micro <= '1000000000000000000000000000000000000'::numeric)))
ledger_flows_carried ledger_flows_carried_issued_micro_check CHECK ((issued_micro < 'NaN'::numeric))
ledger_flows_carried ledger_flows_carried_pkey PRIMARY KEY (through, integration_id, chain_id)
ledger_flows_carried ledger_flows_carried_through_fkey FOREIGN KEY (through) REFERENCES ledger_closings(through) DEFERRABLE
ledger_seals ledger_seals_entry_key UNIQUE (entry_id)
ledger_seals ledger_seals_hash_check CHECK ((length(hash) = 32))
ledger_seals ledger_seals_pkey PRIMARY KEY ("position")
ledger_seals ledger_seals_position_check CHECK (("position" > 0))
ledger_totals ledger_totals_credit_micro_check CHECK (((credit_micro >= (0)::numeric) AND (credit_micro <= '1000000000000000000000000000000000000'::numeric)))
ledger_totals ledger_totals_debit_micro_check CHECK (((debit_micro >= (0)::numeric) AND (debit_micro <= '1000000000000000000000000000000000000'::numeric)))
ledger_totals ledger_totals_pkey PRIMARY KEY (day, account)
ledger_unsealed ledger_unsealed_pkey PRIMARY KEY (entry_id)
lost_chains lost_chains_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id)
lost_chains lost_chains_pkey PRIMARY KEY (chain_id)
lost_chains lost_chains_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 300)))
lost_keys lost_keys_key_id_check CHECK ((key_id ~ '^[0-9a-f]{16}$'::text))
lost_keys lost_keys_pkey PRIMARY KEY (key_id, through_statement)
lost_keys lost_keys_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
lost_keys lost_keys_through_statement_fkey FOREIGN KEY (through_statement) REFERENCES bank_statements(statement_no)
lost_orders lost_orders_pkey PRIMARY KEY (order_id)
lost_orders lost_orders_remint_key UNIQUE (remint)
mint_usage mint_usage_committed_micro_check CHECK ((committed_micro >= 0))
mint_usage mint_usage_key_id_check CHECK ((length(key_id) <= 200))
mint_usage mint_usage_pkey PRIMARY KEY (day, key_id)
mint_usage mint_usage_within_cap CHECK ((committed_micro <= cap_micro))
operator_answers operator_answers_answer_check CHECK (starts_with(answer, 'sb1.'::text))
operator_answers operator_answers_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 200)))
operator_answers operator_answers_pkey PRIMARY KEY (asked_by, idempotency_key)
operator_sessions operator_sessions_check CHECK ((expires_at > created_at))
operator_sessions operator_sessions_made_in_check CHECK ((made_in ~ '^[0-9a-f]{64}$'::text))
operator_sessions operator_sessions_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(operator_id)
operator_sessions operator_sessions_pkey PRIMARY KEY (secret_sha256)
operator_sessions operator_sessions_secret_sha256_check CHECK ((secret_sha256 ~ '^[0-9a-f]{64}$'::text))
operator_sessions operator_sessions_shown CHECK (((operator_id IS NOT NULL) OR (token_sha256 IS NOT NULL)))
operator_sessions operator_sessions_token_sha256_check CHECK ((token_sha256 ~ '^[0-9a-f]{64}$'::text))
operators operators_check CHECK (((token_seen_by IS NULL) OR (secret_sha256 IS NOT NULL)))
operators operators_check1 CHECK (((emergency_of IS NULL) OR is_emergency))
operators operators_emergency_of_fkey FOREIGN KEY (emergency_of) REFERENCES operators(operator_id)
operators operators_identity UNIQUE (issuer, subject)
operators operators_issuer_check CHECK (((length(issuer) >= 1) AND (length(issuer) <= 500)))
operators operators_lost_group CHECK (((NOT lost_group) OR ((disabled_at IS NOT NULL) AND (issuer IS NOT NULL))))
operators operators_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
operators operators_one_way_in CHECK (((num_nonnulls(issuer, subject) = ANY (ARRAY[0, 2])) AND ((issuer IS NULL) = (secret_sha256 IS NOT NULL))))
operators operators_operator_id_check CHECK ((operator_id ~ '^opr_[0-9a-f]{16}$'::text))
operators operators_pkey PRIMARY KEY (operator_id)
operators operators_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'support'::text, 'onboarding'::text, 'treasury'::text, 'compliance'::text, 'admin'::text])))
operators operators_secret_sha256_check CHECK ((secret_sha256 ~ '^[0-9a-f]{64}$'::text))
operators operators_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 255)))
order_holds order_holds_pkey PRIMARY KEY (order_id)
order_holds order_holds_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 300)))
orders orders_amount_micro_check CHECK ((amount_micro > 0))
orders orders_created_at_check CHECK (isfinite(created_at))
orders orders_debit_address_check CHECK ((debit_address ~ '^0x[0-9a-fA-F]{40}$'::text))
orders orders_debit_matches_direction CHECK (((direction = 'MINT'::text) = (debit_address IS NULL)))
orders orders_direction_check CHECK ((direction = ANY (ARRAY['MINT'::text, 'REDEEM'::text, 'TRANSFER'::text])))
orders orders_fee_micro_check CHECK ((fee_micro >= 0))
orders orders_fit_status CHECK (
CASE status
    WHEN 'processing'::text THEN ((batch_id IS NOT NULL) AND (failure_reason IS NULL) AND (direction = 'REDEEM'::text))
    WHEN 'completed'::text THEN ((batch_id IS NOT NULL) AND (failure_reason IS NULL))
    WHEN 'failed'::text THEN (failure_reason IS NOT NULL)
    ELSE ((num_nonnulls(batch_id, failure_reason) = 0) AND ((status = 'pending'::text) OR (direction = 'MINT'::text)))
END)
orders orders_mint_cap_whole CHECK ((((mint_cap_key_id IS NULL) = (mint_cap_day IS NULL)) AND ((mint_cap_day IS NULL) OR ((direction = 'MINT'::text) AND (status <> ALL (ARRAY['payment_pending'::text, 'cancelled'::text]))))))
orders orders_pkey PRIMARY KEY (order_id)
orders orders_place_whole CHECK ((num_nonnulls(batch_id, batch_index, tx_hash, block_number) = ANY (ARRAY[0, 4])))
orders orders_reference_id_check CHECK (((length(reference_id) >= 8) AND (length(reference_id) <= 100)))
orders orders_reference_unique UNIQUE (integration_id, reference_id)
orders orders_status_check CHECK ((status = ANY (ARRAY['payment_pending'::text, 'pending'::text, 'processing'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
orders orders_tx_hash_check CHECK ((length(tx_hash) = 32))
orders orders_updated_at_check CHECK (isfinite(updated_at))
orders orders_wallet_address_check CHECK ((wallet_address ~ '^0x[0-9a-fA-F]{40}$'::text))
payment_file_stop payment_file_stop_is_only_check CHECK (is_only)
payment_file_stop payment_file_stop_pkey PRIMARY KEY (is_only)
payment_files payment_files_content_check CHECK (starts_with(content, 'sb1.'::text))
payment_files payment_files_content_hash_check CHECK ((content_hash ~ '^[0-9a-f]{64}$'::text))
payment_files payment_files_file_number_check CHECK (((file_number >= 1) AND (file_number <= 99999999)))
payment_files payment_files_named_by_number CHECK ((message_id = ((prefix || '-'::text) || lpad((file_number)::text, 8, '0'::text))))
payment_files payment_files_pkey PRIMARY KEY (message_id)
payment_files payment_files_put_out_or_withdrawn CHECK ((num_nonnulls(put_out_at, withdrawn_at) < 2))
payment_files payment_files_withdrawn_for_a_reason CHECK ((num_nonnulls(withdrawn_at, withdrawn_for) = ANY (ARRAY[0, 2])))
payout_attempts payout_attempts_attempt_check CHECK ((attempt > 0))
payout_attempts payout_attempts_end_to_end_id_unique UNIQUE (end_to_end_id)
payout_attempts payout_attempts_extra_left CHECK (((NOT is_extra) OR (status = ANY (ARRAY['sent'::text, 'paid'::text]))))
payout_attempts payout_attempts_pkey PRIMARY KEY (payout_id, attempt)
payout_attempts payout_attempts_status_check CHECK ((status = ANY (ARRAY['asked'::text, 'sent'::text, 'paid'::text, 'rejected'::text, 'returned'::text])))
payouts payouts_amount_sen_check CHECK ((amount_sen > 0))
payouts payouts_attempt_check CHECK ((attempt > 0))
payouts payouts_burn_unique UNIQUE (burn)
payouts payouts_decided_by_a_rail CHECK (((rail IS NOT NULL) OR (status <> ALL (ARRAY['sent'::text, 'paid'::text, 'returned'::text])) OR ((status = 'returned'::text) AND (by_hand > 0))))
payouts payouts_held_for_a_reason CHECK (((status = 'held'::text) = (hold_reason IS NOT NULL)))
payouts payouts_hold_reason_check CHECK ((hold_reason = ANY (ARRAY['rail_not_configured'::text, 'maybe_paid_before'::text, 'by_operator'::text, 'other_attempt'::text, 'burn_not_seen'::text])))
payouts payouts_of_an_order_or_of_parts CHECK (
CASE
    WHEN (order_id IS NULL) THEN (num_nonnulls(integration_id, reference_id) = 2)
    ELSE (reference_id IS NULL)
END)
payouts payouts_order_id_key UNIQUE (order_id)
payouts payouts_owner_check CHECK (((length(owner) >= 1) AND (length(owner) <= 200)))
payouts payouts_pkey PRIMARY KEY (payout_id)
payouts payouts_sent_has_reference CHECK (((status <> ALL (ARRAY['sent'::text, 'paid'::text])) OR (rail_reference IS NOT NULL)))
payouts payouts_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'held'::text, 'sent'::text, 'paid'::text, 'rejected'::text, 'returned'::text, 'paid_by_hand'::text, 'refunded'::text])))
payouts payouts_status_since_check CHECK (isfinite(status_since))
payouts payouts_to_own_bank FOREIGN KEY (bank_id, customer_id) REFERENCES bank_details(bank_id, customer_id)
reconcile_cursors reconcile_cursors_pkey PRIMARY KEY (what)
reconcile_open reconcile_open_pkey PRIMARY KEY (pass_no, order_id)
reconcile_passes reconcile_passes_disputed_check CHECK (
CASE jsonb_typeof(disputed)
    WHEN 'array'::text THEN (jsonb_array_length(disputed) = jsonb_array_length(jsonb_path_query_array(disputed, 'strict $[*]?(@."was" like_regex "^-?[0-9]{1,40}$" && @."is" like_regex "^-?[0-9]{1,40}$")'::jsonpath)))
    ELSE false
END)
reconcile_passes reconcile_passes_pkey PRIMARY KEY (pass_no)
reconcile_runs reconcile_runs_differences_check CHECK (((jsonb_typeof(differences) = 'object'::text) AND (NOT jsonb_path_exists(differences, 'strict $.*?(@.type() != "number")'::jsonpath))))
reconcile_runs reconcile_runs_pkey PRIMARY KEY (run_id)
reconcile_suspects reconcile_suspects_check CHECK (((what <> 'batch'::text) OR (subject ~ '^[0-9]{1,18}/[0-9]{1,18}$'::text)))
reconcile_suspects reconcile_suspects_pkey PRIMARY KEY (what, subject)
reconcile_suspects reconcile_suspects_what_check CHECK ((what = ANY (ARRAY['batch'::text, 'payout'::text, 'statement'::text])))
reconcile_usage reconcile_usage_amount_micro_check CHECK (((amount_micro >= '-1000000000000000000000000000000000000'::numeric) AND (amount_micro <= '1000000000000000000000000000000000000'::numeric)))
reconcile_usage reconcile_usage_direction_check CHECK ((direction = ANY (ARRAY['MINT'::text, 'REDEEM'::text, 'TRANSFER'::text])))
reconcile_usage reconcile_usage_pkey PRIMARY KEY (pass_no, direction, owner, period)
remembered_answers remembered_answers_pkey PRIMARY KEY (integration_id, idempotency_key, created_at)
remembered_answers remembered_answers_status_check CHECK (((status >= 200) AND (status <= 299)))
remembered_answers_default remembered_answers_default_pkey PRIMARY KEY (integration_id, idempotency_key, created_at)
remembered_answers_default remembered_answers_status_check CHECK (((status >= 200) AND (status <= 299)))
reserve_proofs reserve_proofs_is_only_check CHECK (is_only)
reserve_proofs reserve_proofs_pkey PRIMARY KEY (is_only)
reserve_proofs_of_days reserve_proofs_of_days_day_check CHECK (isfinite(day))
reserve_proofs_of_days reserve_proofs_of_days_pkey PRIMARY KEY (day)
sandbox_faults sandbox_faults_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(key_id)
sandbox_faults sandbox_faults_pkey PRIMARY KEY (key_id)
sandbox_faults sandbox_faults_remaining_check CHECK ((remaining >= 0))
schema_migrations schema_migrations_pkey PRIMARY KEY (version)
screening_denials screening_denials_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text))
screening_denials screening_denials_pkey PRIMARY KEY (address)
secrets_key secrets_key_pkey PRIMARY KEY (is_next)
secrets_key secrets_key_sealed_check CHECK (starts_with(sealed, 'sb1.'::text))
settlement_holds settlement_holds_pkey PRIMARY KEY (chain_id)
signed_orders signed_orders_batch_whole CHECK (((batch_id IS NULL) = (batch_index IS NULL)))
signed_orders signed_orders_pkey PRIMARY KEY (order_id)
signers signers_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id)
signers signers_pkey PRIMARY KEY (chain_id, address)
simulated_rail_payments simulated_rail_payments_behaviour_check CHECK ((behaviour = ANY (ARRAY['refused'::text, 'returned'::text, 'rejected'::text, 'slow'::text, 'debitedLate'::text])))
simulated_rail_payments simulated_rail_payments_pkey PRIMARY KEY (end_to_end_id)
tag_conflicts tag_conflicts_pkey PRIMARY KEY (order_id)
timelock_operations timelock_operations_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id)
timelock_operations timelock_operations_ended CHECK (((status = 'pending'::text) = (ended_block IS NULL)))
timelock_operations timelock_operations_pkey PRIMARY KEY (chain_id, operation_id)
timelock_operations timelock_operations_ready CHECK (((status = 'pending'::text) <= (ready_at IS NOT NULL)))
timelock_operations timelock_operations_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'executed'::text, 'cancelled'::text])))
transfer_usage transfer_usage_committed_micro_check CHECK ((committed_micro >= 0))
transfer_usage transfer_usage_key_id_check CHECK ((length(key_id) <= 200))
transfer_usage transfer_usage_pkey PRIMARY KEY (day, key_id)
transfer_usage transfer_usage_within_cap CHECK ((committed_micro <= cap_micro))
wallet_earmarks wallet_earmarks_address_check CHECK ((length(address) <= 200))
wallet_earmarks wallet_earmarks_balance_micro_check CHECK ((balance_micro < 'NaN'::numeric))
wallet_earmarks wallet_earmarks_chain_id_check CHECK (((chain_id >= 1) AND (chain_id <= '9007199254740991'::bigint)))
wallet_earmarks wallet_earmarks_facts_current CHECK ((facts_epoch = epoch))
wallet_earmarks wallet_earmarks_not_negative CHECK ((earmarked_micro >= 0))
wallet_earmarks wallet_earmarks_pkey PRIMARY KEY (chain_id, address)
wallet_earmarks wallet_earmarks_within_balance CHECK (((balance_micro IS NULL) OR ((earmarked_micro)::numeric <= balance_micro)))
wallet_links wallet_links_address_check CHECK ((address ~ '^0x[0-9a-fA-F]{40}$'::text))
wallet_links wallet_links_consent_check CHECK ((consent ~ '^0x([0-9a-f]{2})+$'::text))
wallet_links wallet_links_consent_whole CHECK (((consent IS NULL) = (consent_deadline IS NULL)))
wallet_links wallet_links_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id)
wallet_links wallet_links_pkey PRIMARY KEY (customer_id, address, chain_id)
wallets wallets_address_check CHECK ((address ~ '^0x[0-9a-fA-F]{40}$'::text))
wallets wallets_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id)
wallets wallets_pkey PRIMARY KEY (customer_id, address)
webhook_endpoints webhook_endpoints_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(integration_id)
webhook_endpoints webhook_endpoints_next_secret_encrypted_check CHECK (starts_with(next_secret_encrypted, 'sb1.'::text))
webhook_endpoints webhook_endpoints_pkey PRIMARY KEY (endpoint_id)
webhook_endpoints webhook_endpoints_removed_without_secret CHECK ((((status = 'removed'::text) = (secret_encrypted IS NULL)) AND ((status <> 'removed'::text) OR (next_secret_encrypted IS NULL))))
webhook_endpoints webhook_endpoints_secret_encrypted_check CHECK (starts_with(secret_encrypted, 'sb1.'::text))
webhook_endpoints webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text, 'removed'::text])))
webhook_endpoints webhook_endpoints_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2000)))
withdrawal_usage withdrawal_usage_committed_micro_check CHECK ((committed_micro >= 0))
withdrawal_usage withdrawal_usage_customer_id_check CHECK ((length(customer_id) <= 200))
withdrawal_usage withdrawal_usage_pkey PRIMARY KEY (month, customer_id)
withdrawal_usage withdrawal_usage_within_cap CHECK ((committed_micro <= cap_micro))

-- Indexes that are not made by a constraint, or are more than that
CREATE INDEX api_keys_by_integration ON public.api_keys USING btree (integration_id, created_at)
CREATE INDEX approvals_newest ON public.approvals USING btree (created_at, approval_id)
CREATE INDEX approvals_waiting ON public.approvals USING btree (requested_by) WHERE (status = 'waiting'::text)
CREATE INDEX audit_log_of_actor ON public.audit_log USING btree (actor, audit_id)
CREATE INDEX audit_log_of_target ON public.audit_log USING btree (target, audit_id)
CREATE INDEX audit_log_of_wallet ON public.audit_log USING btree (((details ->> 'walletAddress'::text)), audit_id) WHERE ((details ->> 'walletAddress'::text) IS NOT NULL)
CREATE INDEX audit_log_since ON public.audit_log USING btree (created_at)
CREATE INDEX bank_details_by_account ON public.bank_details USING btree (account_key) WHERE (account_key IS NOT NULL)
CREATE INDEX bank_details_by_word ON public.bank_details USING gin (name_keys) WHERE (name_keys IS NOT NULL)
CREATE INDEX bank_details_of_customer ON public.bank_details USING btree (customer_id) WHERE (customer_id IS NOT NULL)
CREATE INDEX bank_imports_listed ON public.bank_imports USING btree (imported_at DESC)
CREATE INDEX bank_imports_message ON public.bank_imports USING btree (message_id) WHERE (refusal_code IS NULL)
CREATE INDEX bank_lines_allocation ON public.bank_lines USING btree (allocation) WHERE (allocation IS NOT NULL)
CREATE INDEX bank_lines_claims ON public.bank_lines USING btree (line_no) WHERE ((matched_kind = 'claim'::text) AND (amount_micro < 0))
CREATE INDEX bank_lines_end_to_end ON public.bank_lines USING btree (end_to_end_id, amount_micro, booked_on) WHERE (end_to_end_id IS NOT NULL)
CREATE INDEX bank_lines_made_by ON public.bank_lines USING btree (made_by) WHERE (made_by IS NOT NULL)
CREATE INDEX bank_lines_matched ON public.bank_lines USING btree (matched_to) WHERE (matched_to IS NOT NULL)
CREATE INDEX bank_lines_own_credits ON public.bank_lines USING btree (booked_on) WHERE ((matched_kind = 'own_funds'::text) AND (amount_micro > 0))
CREATE INDEX bank_lines_parts ON public.bank_lines USING btree (((servicer_reference || ''::text))) WHERE ((servicer_reference IS NOT NULL) AND (detail > 1) AND (made_by IS NULL))
CREATE INDEX bank_lines_reverses ON public.bank_lines USING btree (reverses) WHERE (reverses IS NOT NULL)
CREATE INDEX bank_lines_said ON public.bank_lines USING btree (amount_micro) WHERE ((state = ANY (ARRAY['assigned'::text, 'allocated'::text])) AND (amount_micro < 0))
CREATE INDEX bank_lines_servicer ON public.bank_lines USING btree (servicer_reference, amount_micro) WHERE (servicer_reference IS NOT NULL)
CREATE INDEX bank_lines_together ON public.bank_lines USING btree (line_no) WHERE ((state = 'unallocated'::text) AND (together IS NOT NULL))
CREATE INDEX bank_lines_unallocated ON public.bank_lines USING btree (line_no) WHERE (state = 'unallocated'::text)
CREATE INDEX bank_lines_unbooked ON public.bank_lines USING btree (line_no) WHERE (state = 'unbooked'::text)
CREATE INDEX bank_notified_by_day ON public.bank_notified USING btree (bank_account, booked_on)
CREATE INDEX bank_notified_not_shown ON public.bank_notified USING btree (bank_account, booked_on) WHERE (NOT is_shown)
CREATE INDEX bank_paid_mints_by_line ON public.bank_paid_mints USING btree (line_no)
CREATE INDEX bank_statements_by_day ON public.bank_statements USING btree (bank_account, closed_on) WHERE (withdrawn_at IS NULL)
CREATE INDEX bank_statements_by_number ON public.bank_statements USING btree (account_digest, bank_account) WHERE (withdrawn_at IS NULL)
CREATE INDEX bank_statements_in_order ON public.bank_statements USING btree (bank_account, closed_on, "position") WHERE ("position" IS NOT NULL)
CREATE INDEX batch_attempts_default_chain_id_batch_id_created_at_idx ON public.batch_attempts_default USING btree (chain_id, batch_id, created_at)
CREATE INDEX batch_attempts_of_batch ON ONLY public.batch_attempts USING btree (chain_id, batch_id, created_at)
CREATE INDEX batches_fences ON public.batches USING btree (chain_id, batch_id) WHERE (fences_on IS NOT NULL)
CREATE INDEX batches_foreign ON public.batches USING btree (chain_id, batch_id) WHERE is_foreign
CREATE INDEX batches_in_flight ON public.batches USING btree (chain_id, signer, batch_id) WHERE (status = ANY (ARRAY['signed'::text, 'mined'::text]))
CREATE INDEX corporates_by_integration ON public.corporates USING btree (integration_id, created_at)
CREATE INDEX customers_by_integration ON public.customers USING btree (integration_id, created_at)
CREATE INDEX deliveries_default_endpoint_id_event_at_delivery_id_idx ON public.deliveries_default USING btree (endpoint_id, event_at, delivery_id) WHERE ((status = ANY (ARRAY['exhausted'::text, 'dropped'::text])) OR ((status = 'due'::text) AND (attempts > 0)))
CREATE INDEX deliveries_default_endpoint_id_next_attempt_at_idx ON public.deliveries_default USING btree (endpoint_id, next_attempt_at) WHERE ((status = 'due'::text) AND ((delivery_id + 0) > 0))
CREATE INDEX deliveries_due ON ONLY public.deliveries USING btree (endpoint_id, next_attempt_at) WHERE ((status = 'due'::text) AND ((delivery_id + 0) > 0))
CREATE INDEX deliveries_failed ON ONLY public.deliveries USING btree (endpoint_id, event_at, delivery_id) WHERE ((status = ANY (ARRAY['exhausted'::text, 'dropped'::text])) OR ((status = 'due'::text) AND (attempts > 0)))
CREATE INDEX events_by_age ON ONLY public.events USING brin (created_at)
CREATE INDEX events_default_created_at_idx ON public.events_default USING brin (created_at)
CREATE INDEX events_default_integration_id_transaction_id_event_seq_idx ON public.events_default USING btree (integration_id, transaction_id, event_seq)
CREATE INDEX events_of_integration ON ONLY public.events USING btree (integration_id, transaction_id, event_seq)
CREATE INDEX filed_payments_by_file ON public.filed_payments USING btree (message_id)
CREATE INDEX filed_payments_waiting ON public.filed_payments USING btree (accepted_at) WHERE (message_id IS NULL)
CREATE INDEX foreign_instructions_of_tag ON public.foreign_instructions USING btree (tag, ((chain_id + 0)))
CREATE INDEX foreign_movements_open ON public.foreign_movements USING btree (chain_id) WHERE (ended_at IS NULL)
CREATE INDEX integration_remitters_by_integration ON public.integration_remitters USING btree (integration_id)
CREATE INDEX ledger_entries_by_day ON public.ledger_entries USING btree (((day + 0)))
CREATE INDEX operator_answers_kept ON public.operator_answers USING btree (answered_at) WHERE (answer IS NOT NULL)
CREATE INDEX orders_awaiting_settlement ON public.orders USING btree (chain_id, is_held, integration_id, direction, ((order_id + 0))) WHERE (status = 'pending'::text)
CREATE INDEX orders_burnt ON public.orders USING btree (order_id) WHERE (status = 'processing'::text)
CREATE INDEX orders_confirmed_later ON public.orders USING btree (mint_cap_day, order_id) WHERE (mint_cap_day <> ((created_at AT TIME ZONE 'UTC'::text))::date)
CREATE INDEX orders_listed ON public.orders USING btree (integration_id COLLATE "C", direction, status, created_at, order_id)
CREATE INDEX orders_unpaid ON public.orders USING btree (chain_id, wallet_address) WHERE ((status = 'payment_pending'::text) AND ((order_id + 0) > 0))
CREATE INDEX orders_without_coin ON public.orders USING btree (chain_id, wallet_address) WHERE (status = ANY (ARRAY['failed'::text, 'cancelled'::text]))
CREATE INDEX payment_files_by_number ON public.payment_files USING btree (prefix, file_number)
CREATE INDEX payment_files_to_put_out ON public.payment_files USING btree (file_number) WHERE ((put_out_at IS NULL) AND (withdrawn_at IS NULL))
CREATE INDEX payout_attempts_asked ON public.payout_attempts USING btree (asked_on, asked_at)
CREATE INDEX payout_attempts_extra ON public.payout_attempts USING btree (payout_id) WHERE is_extra
CREATE INDEX payout_attempts_unshown ON public.payout_attempts USING btree (asked_at) WHERE ((status = 'paid'::text) AND (NOT is_shown))
CREATE INDEX payouts_by_customer ON public.payouts USING btree (customer_id)
CREATE INDEX payouts_by_end_to_end_id ON public.payouts USING btree (end_to_end_id)
CREATE INDEX payouts_by_status ON public.payouts USING btree (status, created_at)
CREATE INDEX payouts_due ON public.payouts USING btree (COALESCE(integration_id, ''::text), LEAST(times_asked, 1), next_attempt_at) WHERE (((status || ''::text) = 'queued'::text) AND ((burn IS NOT NULL) OR (order_id IS NULL)))
CREATE INDEX payouts_of_parts ON public.payouts USING btree (customer_id) WHERE (order_id IS NULL)
CREATE INDEX payouts_refunded ON public.payouts USING btree (customer_id) WHERE (refunds > 0)
CREATE INDEX payouts_sent ON public.payouts USING btree (next_attempt_at) WHERE (status = 'sent'::text)
CREATE INDEX payouts_unseen ON public.payouts USING btree (chain_id, next_attempt_at) WHERE ((burn IS NULL) AND (order_id IS NOT NULL) AND (status = ANY (ARRAY['queued'::text, 'rejected'::text, 'returned'::text])))
CREATE INDEX wallets_by_address ON public.wallets USING btree (address)
CREATE INDEX webhook_endpoints_of_integration ON public.webhook_endpoints USING btree (integration_id, created_at)
CREATE UNIQUE INDEX bank_statements_content_stands ON public.bank_statements USING btree (bank_account, digest, COALESCE(
CASE
    WHEN (line_count = 0) THEN sequence
    ELSE NULL::text
END, ''::text)) WHERE (withdrawn_at IS NULL)
CREATE UNIQUE INDEX bank_statements_id_stands ON public.bank_statements USING btree (bank_account, statement_id) WHERE (withdrawn_at IS NULL)
CREATE UNIQUE INDEX batches_nonce_in_flight ON public.batches USING btree (chain_id, signer, nonce) WHERE (status = ANY (ARRAY['signed'::text, 'mined'::text]))
CREATE UNIQUE INDEX foreign_movements_batch_once ON public.foreign_movements USING btree (chain_id, batch_id, digest) WHERE (ended_at IS NULL)
CREATE UNIQUE INDEX operators_name ON public.operators USING btree (lower(name))
CREATE UNIQUE INDEX reconcile_passes_one_of_each ON public.reconcile_passes USING btree (is_complete)
CREATE UNIQUE INDEX wallets_one_primary ON public.wallets USING btree (customer_id) WHERE is_primary

-- Sequences
audit_log_audit_id_seq bigint start 1 increment 1 from 1 to 9223372036854775807 cache 1 of audit_log.audit_id
bank_lines_line_no_seq bigint start 1 increment 1 from 1 to 9223372036854775807 cache 1 of bank_lines.line_no
bank_statements_statement_no_seq bigint start 1 increment 1 from 1 to 9223372036854775807 cache 1 of bank_statements.statement_no
deliveries_delivery_id_seq bigint start 1 increment 1 from 1 to 9223372036854775807 cache 1 of deliveries.delivery_id
events_event_seq_seq bigint start 1 increment 1 from 1 to 9223372036854775807 cache 1 of events.event_seq
foreign_movements_movement_id_seq bigint start 1 increment 1 from 1 to 9223372036854775807 cache 1 of foreign_movements.movement_id
ledger_entries_entry_id_seq bigint start 1 increment 1 from 1 to 9223372036854775807 cache 1 of ledger_entries.entry_id
orders_order_id_seq bigint start 1 increment 1 from 1 to 9223372036854775807 cache 1 of orders.order_id
reconcile_passes_pass_no_seq bigint start 1 increment 1 from 1 to 9223372036854775807 cache 1 of reconcile_passes.pass_no
reconcile_runs_run_id_seq bigint start 1 increment 1 from 1 to 9223372036854775807 cache 1 of reconcile_runs.run_id

-- Functions
CREATE OR REPLACE FUNCTION public.acts_as(of_group text, changed oid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN ((EXISTS (SELECT FROM pg_roles WHERE ((pg_roles.rolname = acts_as.of_group) AND pg_has_role(CURRENT_USER, pg_roles.oid, 'member'::text)))) OR pg_has_role(CURRENT_USER, (SELECT c.relowner FROM pg_class c WHERE (c.oid = acts_as.changed)), 'member'::text))
CREATE OR REPLACE FUNCTION public.add_lost_sealed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.database_timeline()
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  return (select system_identifier::text from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
    || '/' || 'chains'::regclass::oid::text;
end
$function$
CREATE OR REPLACE FUNCTION public.drop_month(parent text, name text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
end $function$
CREATE OR REPLACE FUNCTION public.end_to_end_id_of(integration text, reference text, attempt integer)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.end_to_end_id_of_payout(p payouts)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN (SELECT end_to_end_id_of(COALESCE(o.integration_id, 'residuals'::text), COALESCE(o.reference_id, (end_to_end_id_of_payout.p).reference_id), ((end_to_end_id_of_payout.p).attempt)::integer) AS end_to_end_id_of FROM ((SELECT) one LEFT JOIN orders o ON ((o.order_id = (end_to_end_id_of_payout.p).order_id))))
CREATE OR REPLACE FUNCTION public.event_id_of(integration text, reference text, event_type text)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN ('evt_'::text || "left"(encode(sha256(convert_to(((((integration || '/'::text) || reference) || '/'::text) || event_type), 'UTF8'::name)), 'hex'::text), 32))
CREATE OR REPLACE FUNCTION public.guard_audit_seal()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_bank_allocation()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_bank_line()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_bank_statement()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_batch()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_batch_outcome()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_closing()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
end $function$
CREATE OR REPLACE FUNCTION public.guard_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_filed_payment()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_gone_details()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if not acts_as('stablecoin_operator', tg_relid) and (old.payment is null or exists (select from filed_payments f
      where f.end_to_end_id = split_part(old.payment, ' ', 1) and f.bank_id = old.bank_id)) then
    raise exception 'bank details % are needed', old.bank_id
      using errcode = 'check_violation', constraint = 'bank_details_go';
  end if;
  return old;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_gone_hold()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if exists (select from orders o where o.order_id = old.order_id and o.status = 'pending')
      and not exists (select from signed_orders s where s.order_id = old.order_id and s.batch_id is not null)
      and not acts_as('stablecoin_operator', tg_relid) then
    raise exception 'order % is held', old.order_id using errcode = 'check_violation', constraint = 'order_holds_go';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_gone_instruction()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if exists (select from batches where chain_id = old.chain_id and batch_id = old.batch_id and status <> 'abandoned')
      and not is_owners(tg_relid) then
    raise exception 'batch % has settled that', old.batch_id
      using errcode = 'check_violation', constraint = 'foreign_instructions_go';
  end if;
  return old;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_gone_outcome()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if exists (select from batches b where (b.chain_id, b.batch_id, b.status) = (old.chain_id, old.batch_id, 'final')) and not is_owners(tg_relid) then
    raise exception 'the books have batch %', old.batch_id using errcode = 'check_violation', constraint = 'batch_outcomes_go';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_gone_payout()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if not (is_unburnt(old.order_id) and exists (select from orders o where o.order_id = old.order_id and o.status = 'pending'))
      and not is_owners(tg_relid) then
    raise exception 'payout % is owed', old.payout_id using errcode = 'check_violation', constraint = 'payouts_go';
  end if;
  return old;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_gone_unsealed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if not exists (select from ledger_seals s where s.entry_id = old.entry_id) and not is_owners(tg_relid) then
    raise exception 'entry % has no seal', old.entry_id using errcode = 'check_violation', constraint = 'ledger_unsealed_goes';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_gone_unsealed_audit()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if not exists (select from audit_seals s where s.audit_id = old.audit_id) and not is_owners(tg_relid) then
    raise exception 'line % of the audit log has no seal', old.audit_id using errcode = 'check_violation', constraint = 'audit_unsealed_goes';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_house_order()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_kept_on_lost()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if not acts_as('stablecoin_operator', tg_relid) and stays_or_is_lost(old.chain_id::text) then
    raise exception 'chain % is lost, and nothing is seen of it', old.chain_id
      using errcode = 'check_violation', constraint = tg_table_name || '_of_lost';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_known_chain()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if acts_as('stablecoin_settler', tg_relid) then
    return null;
  end if;
  raise exception 'only a settler knows what of chain % is read and fenced', new.chain_id
    using errcode = 'check_violation', constraint = 'chains_known';
end
$function$
CREATE OR REPLACE FUNCTION public.guard_lease()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if (new.lasts > interval '15 minutes' or new.token - coalesce(old.token, 0) not in (1, case when tg_op = 'UPDATE' then 0 else 1 end))
      and not acts_as('', tg_relid) then
    raise exception 'lease % would not end', new.name using errcode = 'check_violation', constraint = 'leases_end';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_lost_carried()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_lost_chain()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_lost_coins()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_lost_order()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_new_entry()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_new_order()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if not is_owners(tg_relid) then
    raise exception 'order % does not begin as %', new.order_id, new.status
      using errcode = 'check_violation', constraint = 'orders_begin';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_new_payment()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if (num_nonnulls(new.message_id, new.withdrawn_at, new.meaning) > 0 or not exists (select from payouts p
      where (p.payout_id, p.end_to_end_id, p.amount_sen, p.status) = (new.payout_id, new.end_to_end_id, new.amount_sen, 'queued')))
      and not acts_as('stablecoin_operator', tg_relid) then
    raise exception 'no payout asks for payment %', new.end_to_end_id
      using errcode = 'check_violation', constraint = 'filed_payments_asked_for';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_new_payment_file()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if (num_nonnulls(new.put_out_at, new.withdrawn_at) > 0 or new.is_read_back or new.file_number <> 1 + (
      select coalesce(max(f.file_number), 0) from payment_files f where f.prefix = new.prefix and f.message_id <> new.message_id))
      and not acts_as('stablecoin_operator', tg_relid) then
    raise exception 'payment file % is not the next one', new.message_id
      using errcode = 'check_violation', constraint = 'payment_files_in_turn';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_new_payout()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_new_payout_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if exists (select from payouts p where p.payout_id = new.payout_id
      and (p.attempt, p.end_to_end_id, p.bank_id) is not distinct from (new.attempt, new.end_to_end_id, new.bank_id)) then
    return null;
  end if;
  raise exception 'attempt % of payout % is not the one it is in', new.attempt, new.payout_id
    using errcode = 'check_violation', constraint = 'payout_attempts_begin';
end
$function$
CREATE OR REPLACE FUNCTION public.guard_order()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_order_hold()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if exists (select from orders o where o.order_id = new.order_id and o.status = 'pending')
      and not exists (select from signed_orders s where s.order_id = new.order_id and s.batch_id is not null) then
    return null;
  end if;
  raise exception 'order % cannot be held', new.order_id
    using errcode = 'check_violation', constraint = 'order_holds_in_no_batch';
end
$function$
CREATE OR REPLACE FUNCTION public.guard_others_on_lost()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_payment_file()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_payout()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_payout_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_payout_let_go()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if exists (select from payouts p where p.payout_id = new.payout_id
        and (p.status = 'queued' or p.hold_reason in ('rail_not_configured', 'maybe_paid_before')))
      and not acts_as('stablecoin_operator', tg_relid) then
    raise exception 'payout % goes on when operators say so', new.payout_id
      using errcode = 'check_violation', constraint = 'payouts_let_go';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_proof_of_day()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if exists (select from ledger_book where (old.day + 1)::timestamp at time zone timezone < now() - interval '1 hour') then
    raise exception 'the proof of % is kept as it is', old.day;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $function$
CREATE OR REPLACE FUNCTION public.guard_remint()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_seal()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_seen_batch()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if (tg_op = 'INSERT' or new.status <> old.status) and not is_owners(tg_relid) and stays_or_is_lost(new.chain_id::text) then
    raise exception 'chain % is lost, and nothing is seen of it', new.chain_id using errcode = 'check_violation', constraint = 'batches_seen_on_no_lost_chain';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_seen_chain()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if new.observed_at = now() and now() > clock_timestamp() - interval '1 hour' or is_owners(tg_relid) then
    return null;
  end if;
  raise exception 'chain % is seen now, or not at all', new.chain_id using errcode = 'check_violation', constraint = 'chains_seen_now';
end
$function$
CREATE OR REPLACE FUNCTION public.guard_signed_batch()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_signed_orders()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.guard_tag_conflict()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if not (exists (select from orders o where o.order_id = new.order_id)
      and exists (select from foreign_instructions i where i.tag = new.tag and i.chain_id + 0 = new.chain_id)) and not is_owners(tg_relid) then
    raise exception 'nobody has settled order %', new.order_id using errcode = 'check_violation', constraint = 'tag_conflicts_settled';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_unsealed_audit()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if not exists (select from audit_log a where a.audit_id = new.audit_id)
      or exists (select from audit_seals s where s.audit_id = new.audit_id) then
    raise exception 'line % of the audit log awaits no seal', new.audit_id
      using errcode = 'check_violation', constraint = 'audit_unsealed_awaits';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.guard_unsealed_entry()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.hold_months(parent text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  perform require_months(parent);
  execute format('lock table only public.%I in access exclusive mode', parent);
end $function$
CREATE OR REPLACE FUNCTION public.is_alone_with(entry bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if not exists (select from lost_chains) or not exists (select from ledger_entries e join lost_chains l on 'coins:' || l.chain_id = any (e.accounts)
      where e.entry_id = entry) then
    return true;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('the seal of entry ' || entry, 0));
  return current_setting('transaction_isolation') = 'read committed';
end
$function$
CREATE OR REPLACE FUNCTION public.is_in_turn(what text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended('in turn ' || what, 0));
  return current_setting('transaction_isolation') = 'read committed';
end
$function$
CREATE OR REPLACE FUNCTION public.is_lost_chain(chain bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM lost_chains l WHERE (l.chain_id = is_lost_chain.chain)))
CREATE OR REPLACE FUNCTION public.is_owners(changed oid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN pg_has_role(CURRENT_USER, (SELECT c.relowner FROM pg_class c WHERE (c.oid = is_owners.changed)), 'member'::text)
CREATE OR REPLACE FUNCTION public.is_unburnt(redeem bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM payouts p WHERE ((p.order_id = is_unburnt.redeem) AND ((p.status = 'held'::text) AND (p.hold_reason = 'burn_not_seen'::text)) AND (p.burn IS NULL) AND ((p.times_asked = 0) AND (p.refunds = 0) AND (p.by_hand = 0)) AND (NOT (EXISTS (SELECT FROM payout_attempts a WHERE (a.payout_id = p.payout_id)))))))
CREATE OR REPLACE FUNCTION public.keep_lost_totals()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.ledger_sum(amounts numeric[])
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (SELECT COALESCE(sum(amount.amount), (0)::numeric) AS "coalesce" FROM unnest(ledger_sum.amounts) amount(amount))
CREATE OR REPLACE FUNCTION public.make_month(parent text, first_day date, fill_percent integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
end $function$
CREATE OR REPLACE FUNCTION public.note_held()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if tg_op = 'DELETE' or old.order_id <> new.order_id then
    update orders set is_held = false where order_id = old.order_id and status = 'pending' and is_held;
  end if;
  if tg_op <> 'DELETE' then
    update orders set is_held = true where order_id = new.order_id and status = 'pending' and not is_held;
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.note_payout_chain()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  new.chain_id := coalesce((select o.chain_id from orders o where o.order_id = new.order_id), new.chain_id);
  return new;
end
$function$
CREATE OR REPLACE FUNCTION public.note_timeline()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if not exists (select from database_timelines where timeline = database_timeline()) then
    insert into database_timelines (timeline, after_order_id, newest_order_id)
      select database_timeline(), n.newest, n.newest from (select coalesce(max(order_id), 0) as newest from orders) n on conflict do nothing;
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION public.order_tag_of(integration text, reference text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  raise exception '% is append-only', tg_table_name;
end $function$
CREATE OR REPLACE FUNCTION public.refuse_closed_flow()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if exists (select from ledger_book where closed_through >= case tg_op when 'DELETE' then old.day else new.day end)
    or (tg_op = 'UPDATE' and old.day <> new.day) then
    raise exception 'the day is closed' using errcode = 'check_violation', constraint = 'ledger_flows_day_open';
  end if;
  return null;
end $function$
CREATE OR REPLACE FUNCTION public.refuse_ledger_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  raise exception '% is append-only', tg_table_name;
end $function$
CREATE OR REPLACE FUNCTION public.require_months(parent text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if not exists (select from pg_class where oid = to_regclass(format('public.%I', parent)) and relkind = 'p') then
    raise exception '% is not kept in months', parent;
  end if;
end $function$
CREATE OR REPLACE FUNCTION public.stays_or_is_lost(chain text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('a lost chain ' || chain, 0));
  return current_setting('transaction_isolation') <> 'read committed' or exists (select from lost_chains l where l.chain_id::text = chain);
end
$function$

-- Triggers
CREATE CONSTRAINT TRIGGER bank_lines_allocated AFTER INSERT OR UPDATE OF state, allocation ON public.bank_lines DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.made_by IS NOT NULL) OR (new.allocation IS NOT NULL))) EXECUTE FUNCTION guard_bank_allocation()
CREATE CONSTRAINT TRIGGER batch_outcomes_go AFTER DELETE ON public.batch_outcomes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.beside <> '{}'::smallint[])) EXECUTE FUNCTION guard_gone_outcome()
CREATE CONSTRAINT TRIGGER batches_orders_signed AFTER INSERT OR UPDATE ON public.batches DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.status = 'signed'::text)) EXECUTE FUNCTION guard_signed_batch()
CREATE CONSTRAINT TRIGGER foreign_instructions_of_lost AFTER INSERT OR DELETE OR UPDATE ON public.foreign_instructions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION guard_others_on_lost()
CREATE CONSTRAINT TRIGGER foreign_movements_of_lost AFTER INSERT ON public.foreign_movements DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.kind = 'supply'::text)) EXECUTE FUNCTION guard_others_on_lost()
CREATE CONSTRAINT TRIGGER ledger_closings_of_lost AFTER INSERT ON public.ledger_closings DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION guard_lost_carried()
CREATE CONSTRAINT TRIGGER ledger_entries_of_lost AFTER INSERT ON public.ledger_entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION guard_lost_coins()
CREATE CONSTRAINT TRIGGER ledger_totals_of_lost AFTER INSERT OR UPDATE ON public.ledger_totals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.account ~~ 'coins:%'::text)) EXECUTE FUNCTION keep_lost_totals()
CREATE CONSTRAINT TRIGGER order_holds_go AFTER DELETE ON public.order_holds DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION guard_gone_hold()
CREATE CONSTRAINT TRIGGER payouts_let_go AFTER UPDATE ON public.payouts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.status = ANY (ARRAY['rejected'::text, 'returned'::text])) OR (old.hold_reason = ANY (ARRAY['by_operator'::text, 'other_attempt'::text])))) EXECUTE FUNCTION guard_payout_let_go()
CREATE CONSTRAINT TRIGGER tag_conflicts_settled AFTER INSERT ON public.tag_conflicts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION guard_tag_conflict()
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()
CREATE TRIGGER audit_seals_append_only BEFORE DELETE OR UPDATE ON public.audit_seals FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()
CREATE TRIGGER audit_seals_follow AFTER INSERT ON public.audit_seals FOR EACH ROW EXECUTE FUNCTION guard_audit_seal()
CREATE TRIGGER audit_seals_no_truncate BEFORE TRUNCATE ON public.audit_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()
CREATE TRIGGER audit_unsealed_awaits AFTER INSERT ON public.audit_unsealed FOR EACH ROW EXECUTE FUNCTION guard_unsealed_audit()
CREATE TRIGGER audit_unsealed_goes AFTER DELETE ON public.audit_unsealed FOR EACH ROW EXECUTE FUNCTION guard_gone_unsealed_audit()
CREATE TRIGGER bank_details_go BEFORE DELETE ON public.bank_details FOR EACH ROW EXECUTE FUNCTION guard_gone_details()
CREATE TRIGGER bank_lines_guard BEFORE DELETE OR UPDATE ON public.bank_lines FOR EACH ROW EXECUTE FUNCTION guard_bank_line()
CREATE TRIGGER bank_statements_guard BEFORE DELETE OR UPDATE ON public.bank_statements FOR EACH ROW EXECUTE FUNCTION guard_bank_statement()
CREATE TRIGGER batch_outcomes_of_lost AFTER DELETE OR UPDATE ON public.batch_outcomes FOR EACH ROW EXECUTE FUNCTION guard_kept_on_lost()
CREATE TRIGGER batch_outcomes_seen AFTER INSERT OR UPDATE ON public.batch_outcomes FOR EACH ROW EXECUTE FUNCTION guard_batch_outcome()
CREATE TRIGGER batches_guard AFTER UPDATE ON public.batches FOR EACH ROW EXECUTE FUNCTION guard_batch()
CREATE TRIGGER batches_seen_on_no_lost_chain AFTER INSERT OR UPDATE ON public.batches FOR EACH ROW WHEN ((new.status = ANY (ARRAY['mined'::text, 'final'::text]))) EXECUTE FUNCTION guard_seen_batch()
CREATE TRIGGER chains_known AFTER UPDATE ON public.chains FOR EACH ROW WHEN (((new.fenced_on IS NOT NULL) AND (new.fenced_on IS DISTINCT FROM old.fenced_on))) EXECUTE FUNCTION guard_known_chain()
CREATE TRIGGER chains_seen_now AFTER UPDATE ON public.chains FOR EACH ROW WHEN ((new.observed_at IS DISTINCT FROM old.observed_at)) EXECUTE FUNCTION guard_seen_chain()
CREATE TRIGGER events_happened AFTER INSERT ON public.events FOR EACH ROW WHEN (((new.type <> ALL (ARRAY['mint.pending'::text, 'redeem.pending'::text])) OR (new.event_id <> event_id_of(new.integration_id, new.reference_id, new.type)))) EXECUTE FUNCTION guard_event()
CREATE TRIGGER events_happened AFTER INSERT ON public.events_default FOR EACH ROW WHEN (((new.type <> ALL (ARRAY['mint.pending'::text, 'redeem.pending'::text])) OR (new.event_id <> event_id_of(new.integration_id, new.reference_id, new.type)))) EXECUTE FUNCTION guard_event()
CREATE TRIGGER filed_payments_asked_for AFTER INSERT ON public.filed_payments FOR EACH ROW EXECUTE FUNCTION guard_new_payment()
CREATE TRIGGER filed_payments_guard AFTER UPDATE ON public.filed_payments FOR EACH ROW EXECUTE FUNCTION guard_filed_payment()
CREATE TRIGGER foreign_instructions_go BEFORE DELETE ON public.foreign_instructions FOR EACH ROW EXECUTE FUNCTION guard_gone_instruction()
CREATE TRIGGER leases_end AFTER INSERT OR UPDATE ON public.leases FOR EACH ROW EXECUTE FUNCTION guard_lease()
CREATE TRIGGER ledger_book_closes AFTER UPDATE ON public.ledger_book FOR EACH ROW WHEN ((new.closed_through IS DISTINCT FROM old.closed_through)) EXECUTE FUNCTION guard_closing()
CREATE TRIGGER ledger_carried_append_only BEFORE DELETE OR UPDATE ON public.ledger_carried FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change()
CREATE TRIGGER ledger_carried_closes AFTER INSERT ON public.ledger_carried FOR EACH ROW EXECUTE FUNCTION guard_closing()
CREATE TRIGGER ledger_closings_append_only BEFORE DELETE OR UPDATE ON public.ledger_closings FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change()
CREATE TRIGGER ledger_closings_close AFTER INSERT ON public.ledger_closings FOR EACH ROW EXECUTE FUNCTION guard_closing()
CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE ON public.ledger_entries FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change()
CREATE TRIGGER ledger_entries_begin AFTER INSERT ON public.ledger_entries FOR EACH ROW EXECUTE FUNCTION guard_new_entry()
CREATE TRIGGER ledger_entries_no_truncate BEFORE TRUNCATE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change()
CREATE TRIGGER ledger_flows_carried_append_only BEFORE DELETE OR UPDATE ON public.ledger_flows_carried FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change()
CREATE TRIGGER ledger_flows_carried_closes AFTER INSERT ON public.ledger_flows_carried FOR EACH ROW EXECUTE FUNCTION guard_closing()
CREATE TRIGGER ledger_flows_day_open AFTER INSERT OR DELETE OR UPDATE ON public.ledger_flows FOR EACH ROW EXECUTE FUNCTION refuse_closed_flow()
CREATE TRIGGER ledger_seals_add_up AFTER INSERT ON public.ledger_seals REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_lost_sealed()
CREATE TRIGGER ledger_seals_append_only BEFORE DELETE OR UPDATE ON public.ledger_seals FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change()
CREATE TRIGGER ledger_seals_follow AFTER INSERT ON public.ledger_seals FOR EACH ROW EXECUTE FUNCTION guard_seal()
CREATE TRIGGER ledger_seals_no_truncate BEFORE TRUNCATE ON public.ledger_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change()
CREATE TRIGGER ledger_unsealed_awaits AFTER INSERT ON public.ledger_unsealed FOR EACH ROW EXECUTE FUNCTION guard_unsealed_entry()
CREATE TRIGGER ledger_unsealed_goes AFTER DELETE ON public.ledger_unsealed FOR EACH ROW EXECUTE FUNCTION guard_gone_unsealed()
CREATE TRIGGER lost_chains_guarded AFTER INSERT OR DELETE OR UPDATE ON public.lost_chains FOR EACH ROW EXECUTE FUNCTION guard_lost_chain()
CREATE TRIGGER lost_orders_begin AFTER INSERT ON public.lost_orders FOR EACH ROW EXECUTE FUNCTION guard_lost_order()
CREATE TRIGGER lost_orders_of_lost AFTER DELETE OR UPDATE ON public.lost_orders FOR EACH ROW EXECUTE FUNCTION guard_kept_on_lost()
CREATE TRIGGER order_holds_guard AFTER INSERT OR UPDATE ON public.order_holds FOR EACH ROW EXECUTE FUNCTION guard_order_hold()
CREATE TRIGGER order_holds_noted AFTER INSERT OR DELETE OR UPDATE ON public.order_holds FOR EACH ROW EXECUTE FUNCTION note_held()
CREATE TRIGGER orders_begin AFTER INSERT ON public.orders FOR EACH ROW WHEN (((new.status <> ALL (ARRAY['payment_pending'::text, 'pending'::text])) OR new.is_held)) EXECUTE FUNCTION guard_new_order()
CREATE TRIGGER orders_guard AFTER UPDATE ON public.orders FOR EACH ROW EXECUTE FUNCTION guard_order()
CREATE TRIGGER orders_note_timeline BEFORE INSERT ON public.orders FOR EACH STATEMENT EXECUTE FUNCTION note_timeline()
CREATE TRIGGER orders_of_house_begin AFTER INSERT ON public.orders FOR EACH ROW WHEN ((new.integration_id = 'refunds'::text)) EXECUTE FUNCTION guard_house_order()
CREATE TRIGGER payment_files_guard AFTER UPDATE ON public.payment_files FOR EACH ROW EXECUTE FUNCTION guard_payment_file()
CREATE TRIGGER payment_files_in_turn AFTER INSERT ON public.payment_files FOR EACH ROW EXECUTE FUNCTION guard_new_payment_file()
CREATE TRIGGER payout_attempts_begin AFTER INSERT ON public.payout_attempts FOR EACH ROW EXECUTE FUNCTION guard_new_payout_attempt()
CREATE TRIGGER payout_attempts_guard AFTER UPDATE ON public.payout_attempts FOR EACH ROW EXECUTE FUNCTION guard_payout_attempt()
CREATE TRIGGER payouts_begin AFTER INSERT ON public.payouts FOR EACH ROW EXECUTE FUNCTION guard_new_payout()
CREATE TRIGGER payouts_go BEFORE DELETE ON public.payouts FOR EACH ROW EXECUTE FUNCTION guard_gone_payout()
CREATE TRIGGER payouts_guard AFTER UPDATE ON public.payouts FOR EACH ROW EXECUTE FUNCTION guard_payout()
CREATE TRIGGER payouts_note_chain BEFORE INSERT ON public.payouts FOR EACH ROW EXECUTE FUNCTION note_payout_chain()
CREATE TRIGGER remints_begin AFTER INSERT ON public.orders FOR EACH ROW WHEN ((new.integration_id = 'remints'::text)) EXECUTE FUNCTION guard_remint()
CREATE TRIGGER reserve_proofs_of_days_kept BEFORE DELETE OR UPDATE ON public.reserve_proofs_of_days FOR EACH ROW EXECUTE FUNCTION guard_proof_of_day()
CREATE TRIGGER settlement_holds_known AFTER UPDATE ON public.settlement_holds FOR EACH ROW WHEN (((new.history_read_on IS NOT NULL) AND (new.history_read_on IS DISTINCT FROM old.history_read_on))) EXECUTE FUNCTION guard_known_chain()
CREATE TRIGGER signed_orders_change AFTER UPDATE ON public.signed_orders REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION guard_signed_orders()
CREATE TRIGGER signed_orders_come AFTER INSERT ON public.signed_orders REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION guard_signed_orders()
CREATE TRIGGER signed_orders_go AFTER DELETE ON public.signed_orders REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION guard_signed_orders()

-- Grants
function drop_month(text,text) to its owner: execute
function hold_months(text) to its owner: execute
function make_month(text,date,integer) to its owner: execute
schema public to its owner: create, usage
schema public to public: usage
