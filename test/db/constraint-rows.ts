/** A row that each table with a constraint takes: `table: column = expression; …`. Together they refer to one another as they must. */
const HEX = (length: number) => `repeat('a', ${length})`

export const ROWS = `
database_environment: environment = 'sandbox'
secrets_key: sealed = 'sb1.x'
integrations: integration_id = 'int'; name = 'A partner'
bank_details: bank_id = 'bnk_' || ${HEX(24)}; sealed = 'sb1.x'; customer_id = 'cus'
bank_details: bank_id = 'bnk_' || repeat('b', 24); sealed = 'sb1.y'; customer_id = 'cus'
integration_remitters: bank_id = 'bnk_' || ${HEX(24)}; integration_id = 'int'
api_keys: key_id = ${HEX(16)}; integration_id = 'int'; environment = 'sandbox'; secret_sha256 = ${HEX(64)}; scopes = '{}'
api_key_uses: key_id = ${HEX(16)}; last_used_at = now(); last_used_from = '::1'
customers: customer_id = 'cus'; integration_id = 'int'; account_type = 'RETAIL'; verification_status = 'VERIFIED'; verified_at = now(); verification_level = '1'; country_code = 'MY'; is_resident = true; monthly_cap_micro = 0; external_id = 'x'; bank_id = 'bnk_' || ${HEX(24)}
customer_residuals: customer_id = 'cus'; owed_micro = 5000; reserved_micro = 5000
wallets: customer_id = 'cus'; address = '0x' || ${HEX(40)}; is_primary = true
wallet_links: customer_id = 'cus'; address = '0x' || ${HEX(40)}; chain_id = 1; consent = '0xaa'; consent_deadline = 1
corporates: corporate_id = 'cor'; integration_id = 'int'; company_name = 'A company'; verification_status = 'PENDING'; verification_stage = '1'; country_code = 'MY'; industry = 'x'
screening_denials: address = '0x' || ${HEX(40)}
chains: chain_id = 1; coin_address = 'x'; settlement_address = 'x'; genesis_hash = 'x'
chain_limits: chain_id = 1; direction = 'MINT'; capacity_micro = 0
orders: chain_id = 1; amount_micro = 1; status = 'pending'; integration_id = 'int'; reference_id = 'reference'; direction = 'MINT'; network = 'x'; token_address = 'x'; wallet_address = '0x' || ${HEX(40)}; customer_id = 'cus'; key_id = ${HEX(16)}
order_holds: order_id = 1; reason = 'x'
signed_orders: order_id = 1; batch_id = 1; batch_index = 0
idempotency_keys: integration_id = 'int'; idempotency_key = 'x'; fingerprint = 'x'; order_id = 1; first_answer = 'pending'
remembered_answers: integration_id = 'int'; idempotency_key = 'x'; status = 200; body = '{}'; created_at = now()
transfer_usage: key_id = ${HEX(16)}; day = current_date; committed_micro = 1; cap_micro = 1
mint_usage: key_id = ${HEX(16)}; day = current_date; committed_micro = 1; cap_micro = 1
withdrawal_usage: customer_id = 'cus'; month = current_date; committed_micro = 1; cap_micro = 1
wallet_earmarks: chain_id = 1; address = 'x'; earmarked_micro = 1; balance_micro = 1
signers: chain_id = 1; address = 'x'; next_nonce = 0
batches: chain_id = 1; batch_id = 1; signer = 'x'; nonce = 0; digest = 'x'; running_hash = 'x'; order_ids = '{1}'; order_count = 1; status = 'signed'; fencing_token = 1
batch_attempts: chain_id = 1; batch_id = 1; tx_hash = 'x'; signer = 'x'; nonce = 0; raw_transaction = 'x'; max_fee_per_gas = 0; max_priority_fee_per_gas = 0; gas_limit = 1
batch_explanations: chain_id = 1; batch_id = 1; reason = 'x'
batch_outcomes: chain_id = 1; batch_id = 1; executed = '{0}'; reason = 'x'; explained_at = now()
foreign_instructions: chain_id = 1; batch_id = 1; instruction_index = 0; tag = 'x'; direction = 'MINT'; wallet_address = 'x'; amount_micro = 1; succeeded = true; order_id = 1
lost_orders: order_id = 1; chain_id = 1; batch_id = 1; remint = 'x'
foreign_movements: chain_id = 1; kind = 'batch'; details = 'x'; after_block = 1; seen_block = 2; batch_id = 1; digest = 'x'; pauses = true
timelock_operations: chain_id = 1; operation_id = 'x'; calls = '[]'; tx_hash = 'x'; scheduled_block = 1; status = 'pending'; ready_at = now()
payouts: payout_id = 'po_1'; order_id = 1; customer_id = 'cus'; amount_sen = 1; status = 'queued'; end_to_end_id = 'E'; burn = '1/1/0'; bank_id = 'bnk_' || ${HEX(24)}
payout_attempts: payout_id = 'po_1'; attempt = 1; end_to_end_id = 'E'; rail = 'http'
ledger_book: timezone = 'UTC'
ledger_entries: reference = 'x'; effective_at = now(); day = current_date; accounts = '{reserve:x,coins:1}'; amounts_micro = '{1,-1}'
ledger_seals: position = 1; entry_id = 1; hash = sha256('x')
ledger_totals: account = 'coins:1'; day = current_date; debit_micro = 0; credit_micro = 0
ledger_flows: day = current_date; integration_id = 'int'; chain_id = 1; minted_micro = 0; refunded_micro = 0; redeemed_micro = 0; transferred_micro = 0; fees_micro = 0
ledger_closings: through = '2026-01-01'; unpaid = '[]'
ledger_carried: through = '2026-01-01'; account = 'coins:1'; balance_micro = 0
ledger_flows_carried: through = '2026-01-01'; integration_id = 'int'; chain_id = 1; issued_micro = 0
bank_left: file_key = 'x'; name = 'x'; reason = 'x'
bank_imports: content_hash = ${HEX(64)}; name = 'x'; definition = 'x'; message_id = 'x'
bank_statements: bank_account = 'ours'; statement_id = 'x'; sequence = '1'; opened_on = current_date; opening_micro = 0; closed_on = current_date; closing_micro = 0; line_count = 0; digest = ${HEX(64)}; content_hash = ${HEX(64)}; position = 1; applied_at = now()
lost_chains: chain_id = 1; reason = 'x'; lost_by = 'x'
lost_keys: key_id = repeat('a', 16); through_statement = 1; reason = 'x'
bank_lines: statement_no = 1; bank_account = 'ours'; entry = 1; detail = 1; amount_micro = 1; booked_on = current_date; value_on = current_date; is_reversal = false
bank_paid_mints: order_id = 1; line_no = 1
bank_notified: notified_key = ${HEX(64)}; bank_account = 'ours'; amount_micro = 1; booked_on = current_date; content_hash = ${HEX(64)}
reconcile_passes: month = current_date; after_order_id = 0; through_order_id = 0
reconcile_usage: pass_no = 1; direction = 'MINT'; owner = 'x'; period = current_date; amount_micro = 0
reconcile_runs: duration_ms = 1; differences = '{}'
reconcile_suspects: what = 'batch'; subject = '1/1'
payment_files: message_id = 'X-00000001'; prefix = 'X'; file_number = 1; content = 'sb1.x'; content_hash = ${HEX(64)}
filed_payments: end_to_end_id = 'E'; amount_sen = 1; bank_id = 'x'; is_resident = true; remittance = 'x'; message_id = 'x'; status_code = 'x'; meaning = 'paid'; reported_at = now()
payment_file_stop: reason = 'x'
reserve_proofs: made_at = now(); proof = '{}'
reserve_proofs_of_days: day = current_date; made_at = now(); proof = '{}'
simulated_rail_payments: end_to_end_id = 'E'; payout_id = 'x'; amount_sen = 1; bank_id = 'x'; reference = 'x'
events: amount_micro = 1; happened_at = now(); event_id = 'x'; type = 'mint.pending'; integration_id = 'int'; reference_id = 'reference'; tx_hash = sha256('x')
webhook_endpoints: endpoint_id = 'x'; integration_id = 'int'; url = 'x'; secret_encrypted = 'sb1.x'
deliveries: event_at = now(); endpoint_id = 'x'; event_id = 'x'
operators: operator_id = 'opr_' || ${HEX(16)}; name = 'Aisyah'; role = 'viewer'; issuer = 'x'; subject = 'x'
operator_sessions: secret_sha256 = ${HEX(64)}; operator_id = 'opr_' || ${HEX(16)}; expires_at = now() + interval '1 hour'
approvals: approval_id = 'apr_' || ${HEX(16)}; command = 'x'; target = 'x'; method = 'x'; path = 'x'; body = 'sb1.x'; requested_by = 'opr_b'; requested_by_name = 'x'; expires_at = now(); decided_by = 'opr_' || ${HEX(16)}; status = 'used'; execution = 'x'; used_at = now()
operator_answers: asked_by = 'x'; idempotency_key = 'x'; answer = 'sb1.x'
sandbox_faults: key_id = ${HEX(16)}; answer = 'x'; orders_only = true; remaining = 0; expires_at = now()
audit_seals: position = 1; audit_id = 1; hash = sha256('x')
`
