/**
 * What each constraint refuses: `constraint: column = expression; …`, in a copy of the row of its table in constraint-rows.ts. Several
 * lines for one that demands several things.
 */
const LONG = (length: number) => `repeat('x', ${length})`

export const REFUSED = `
api_key_uses_last_used_from_check: last_used_from = ${LONG(101)}
api_keys_environment_check: environment = 'test'
api_keys_key_id_check: key_id = repeat('A', 16)
api_keys_key_id_check: key_id = repeat('a', 17)
api_keys_mint_day_cap_micro_check: mint_day_cap_micro = -1
api_keys_rate_balances_check: rate_balances = 0
api_keys_rate_read_check: rate_read = 0
api_keys_rate_write_check: rate_write = 0
api_keys_secret_sha256_check: secret_sha256 = repeat('a', 63)
api_keys_transfer_day_cap_micro_check: transfer_day_cap_micro = -1
api_keys_transfer_tx_cap_micro_check: transfer_tx_cap_micro = -1
approvals_approval_id_check: approval_id = 'apr_x'
approvals_body_check: body = '{}'
approvals_body_check: body = 'sb1.' || ${LONG(100_000)}
approvals_by_another: requested_by = decided_by
approvals_decided: decided_by = null; status = 'approved'; execution = null; used_at = null
approvals_decided: decided_by = null
approvals_decided: decided_by = null; status = 'void'; execution = null; used_at = null
approvals_status_check: status = 'other'; execution = null; used_at = null
approvals_used: status = 'approved'
approvals_used: execution = null; used_at = null
approvals_used: used_at = null
approvals_withdrawn: withdrawn_by_name = 'somebody'
approvals_withdrawn: status = 'withdrawn'; execution = null; used_at = null
audit_seals_hash_check: hash = 'x'
audit_seals_position_check: position = 0
bank_details_account_ending_check: account_ending = '12345'
bank_details_account_key_check: account_key = '1234567890'
bank_details_bank_id_check: bank_id = 'bnk_x'
bank_details_sealed_check: sealed = '1234567890'
bank_details_text_key_check: text_key = 'Name'
bank_imports_content_hash_check: content_hash = 'x'
bank_imports_refused_for_a_reason: refusal_code = 'x'
bank_imports_refused_for_a_reason: refusal_sentence = 'x'
bank_imports_taken_are_known: definition = null
bank_imports_taken_are_known: message_id = null
bank_left_reason_check: reason = ''
bank_left_reason_check: reason = ${LONG(501)}
bank_lines_allocated_by_one: state = 'allocated'; reason = 'x'; decided_at = now()
bank_lines_amount_micro_check: amount_micro = 0
bank_lines_check: own_account = 'ours'
bank_lines_decided_at: decided_at = now()
bank_lines_decided_at: state = 'unallocated'; reason = 'x'
bank_lines_made_by_check: made_by = 0
bank_lines_matched_kind_check: state = 'matched'; decided_at = now(); matched_kind = 'other'; matched_to = 'x'
bank_lines_matched_to_something: state = 'matched'; decided_at = now()
bank_lines_matched_to_something: state = 'matched'; decided_at = now(); matched_kind = 'fees'
bank_lines_matched_to_something: state = 'assigned'; decided_at = now(); matched_to = 'x'; reason = 'x'
bank_lines_matched_to_something: matched_kind = 'fees'; matched_to = 'x'
bank_lines_reason_check: reason = ''
bank_lines_reason_check: reason = ${LONG(501)}
bank_lines_reverses_a_credit: reverses = 1; amount_micro = -1
bank_lines_reverses_a_credit: reverses = 1; amount_micro = -1; state = 'assigned'; decided_at = now(); reason = 'x'; matched_kind = 'own_funds'; matched_to = 'x'
bank_lines_reverses_a_credit: reverses = 1; state = 'assigned'; decided_at = now(); reason = 'x'; matched_kind = 'fees'; matched_to = 'x'
bank_lines_state_check: state = 'other'; decided_at = now()
bank_lines_taken_back_check: taken_back = -1
bank_lines_together_check: together = '0'
bank_lines_together_check: together = '{"names": 0}'
bank_lines_unallocated_for_a_reason: state = 'unallocated'; decided_at = now()
bank_lines_unallocated_for_a_reason: state = 'assigned'; decided_at = now(); matched_kind = 'fees'; matched_to = 'x'
bank_notified_amount_micro_check: amount_micro = 0
bank_notified_check: own_account = 'ours'
bank_notified_notified_key_check: notified_key = 'x'
bank_statements_account_digest_check: account_digest = 'x'
bank_statements_applied_whole: position = null
bank_statements_applied_whole: applied_at = null
bank_statements_digest_check: digest = 'x'
bank_statements_line_count_check: line_count = -1
bank_statements_position_check: position = 0
bank_statements_withdrawn_for_check: position = null; applied_at = null; withdrawn_at = now(); withdrawn_for = ''
bank_statements_withdrawn_for_check: position = null; applied_at = null; withdrawn_at = now(); withdrawn_for = ${LONG(501)}
bank_statements_withdrawn_or_applied: withdrawn_at = now(); withdrawn_for = 'x'
bank_statements_withdrawn_whole: position = null; applied_at = null; withdrawn_at = now()
bank_statements_withdrawn_whole: withdrawn_for = 'x'
batch_attempts_max_fee_per_gas_check: max_fee_per_gas = -1
batch_attempts_max_fee_per_gas_check: max_fee_per_gas = 'NaN'
batch_attempts_max_priority_fee_per_gas_check: max_priority_fee_per_gas = -1
batch_attempts_max_priority_fee_per_gas_check: max_priority_fee_per_gas = 'NaN'
batch_explanations_reason_check: reason = ''
batch_explanations_reason_check: reason = ${LONG(501)}
batch_outcomes_reason_check: reason = ''
batch_outcomes_reason_check: reason = ${LONG(501)}
batch_outcomes_say_why: reason = null
batch_outcomes_say_why: explained_at = null
batches_fit_status: mined_block = 1
batches_fit_status: mined_hash = 'x'
batches_fit_status: success_bitmap = 1
batches_fit_status: finalized_at = now()
batches_fence_alone: fences_on = 'x'
batches_fence_alone: fence_tag = 'x'; order_count = 2
batches_fence_alone: fence_tag = 'x'
batches_fence_alone: fence_tag = 'x'; order_ids = '{}'; is_foreign = true
batches_fit_status: status = 'mined'; mined_block = 1; mined_hash = 'x'
batches_fit_status: status = 'mined'; tx_hash = 'x'; mined_hash = 'x'
batches_fit_status: status = 'mined'; tx_hash = 'x'; mined_block = 1
batches_fit_status: status = 'mined'; tx_hash = 'x'; mined_block = 1; mined_hash = 'x'; success_bitmap = 1
batches_fit_status: status = 'final'; tx_hash = 'x'; mined_block = 1; mined_hash = 'x'; finalized_at = now()
batches_fit_status: status = 'final'; tx_hash = 'x'; mined_block = 1; mined_hash = 'x'; success_bitmap = 1
batches_fit_status: status = 'final'; mined_block = 1; mined_hash = 'x'; success_bitmap = 1; finalized_at = now()
batches_list_orders: order_count = 2
batches_order_count_check: order_ids = '{}'; order_count = 0
batches_order_count_check: is_foreign = true; order_count = 256
batches_status_check: status = 'other'
batches_success_bitmap_check: status = 'final'; tx_hash = 'x'; mined_block = 1; mined_hash = 'x'; success_bitmap = -1; finalized_at = now()
batches_success_bitmap_check: status = 'final'; tx_hash = 'x'; mined_block = 1; mined_hash = 'x'; success_bitmap = 'NaN'; finalized_at = now()
chain_limits_capacity_micro_check: capacity_micro = -1
chain_limits_direction_check: direction = 'OTHER'
corporates_country_code_check: country_code = 'my'
corporates_verification_status_check: verification_status = 'OTHER'
corporates_verified_at_only_when_verified: verified_at = now()
corporates_verified_at_only_when_verified: verification_status = 'VERIFIED'
customer_residuals_not_negative: owed_micro = -10000; reserved_micro = 0
customer_residuals_reserved: reserved_micro = 5001
customer_residuals_reserved: reserved_micro = -1
customer_residuals_reserved: owed_micro = -1; reserved_micro = -1
customers_account_type_check: account_type = 'OTHER'
customers_country_code_check: country_code = 'MYS'
customers_erased: erased_at = now(); verified_at = null; verification_status = 'SUSPENDED'; external_id = null; can_mint = false; can_redeem = false; can_transfer = false
customers_erased: erased_at = now(); verified_at = null; verification_status = 'SUSPENDED'; bank_id = null; can_mint = false; can_redeem = false; can_transfer = false
customers_erased: erased_at = now(); bank_id = null; external_id = null; can_mint = false; can_redeem = false; can_transfer = false
customers_erased: erased_at = now(); verified_at = null; verification_status = 'SUSPENDED'; bank_id = null; external_id = null; can_redeem = false; can_transfer = false
customers_erased: erased_at = now(); verified_at = null; verification_status = 'SUSPENDED'; bank_id = null; external_id = null; can_mint = false; can_transfer = false
customers_erased: erased_at = now(); verified_at = null; verification_status = 'SUSPENDED'; bank_id = null; external_id = null; can_mint = false; can_redeem = false
customers_external_id_check: external_id = ''
customers_external_id_check: external_id = ${LONG(101)}
customers_monthly_cap_micro_check: monthly_cap_micro = -1
customers_verification_status_check: verification_status = 'OTHER'; verified_at = null
customers_verified_at_only_when_verified: verified_at = null
customers_verified_at_only_when_verified: verification_status = 'SUSPENDED'
database_environment_environment_check: environment = 'test'
database_environment_is_only_check: is_only = false
deliveries_next_attempt_at_check: next_attempt_at = '-infinity'
deliveries_status_check: status = 'other'
events_tx_hash_check: tx_hash = 'x'
filed_payments_amount_sen_check: amount_sen = 0
filed_payments_meaning_check: meaning = 'other'
filed_payments_report_whole: status_code = null
filed_payments_report_whole: meaning = null
filed_payments_report_whole: reported_at = null
foreign_instructions_amount_micro_check: amount_micro = -1
foreign_instructions_amount_micro_check: amount_micro = 'NaN'
foreign_instructions_direction_check: direction = 'OTHER'
foreign_instructions_one_verdict: not_of_order_id = 1
foreign_movements_amount_micro_check: amount_micro = 'NaN'
foreign_movements_kind_check: kind = 'other'; batch_id = null; digest = null
foreign_movements_of_batch: batch_id = null
foreign_movements_of_batch: digest = null
foreign_movements_of_batch: kind = 'supply'
foreign_movements_transactions_check: transactions = '{}'
foreign_movements_transactions_check: transactions = '[null]'
idempotency_keys_first_answer_check: first_answer = 'completed'
idempotency_keys_one_answer: first_answer = null
idempotency_keys_one_answer: answered_at = now()
integrations_name_check: name = ''
integrations_name_check: name = ${LONG(201)}
integrations_status_check: status = 'other'
ledger_book_is_only_check: is_only = false
ledger_carried_balance_micro_check: balance_micro = 'NaN'
ledger_entries_accounts: accounts = '{reserve:x,other:1}'
ledger_entries_accounts: accounts = '{reserve:x,coins}'
ledger_entries_accounts: accounts = '{other:x,coins:1}'
ledger_entries_balanced: amounts_micro = '{1,-2}'
ledger_entries_on_a_day: day = '-infinity'
ledger_entries_on_a_day: day = 'infinity'
ledger_entries_lines: accounts = '{{reserve:x,coins:1}}'
ledger_entries_lines: amounts_micro = '{{1,-1}}'
ledger_entries_lines: accounts = '{reserve:x}'; amounts_micro = '{0}'
ledger_entries_lines: accounts = '{reserve:x,coins:1,coins:2}'
ledger_entries_lines: accounts = '{reserve:x,coins:1,null}'; amounts_micro = '{1,-2,1}'
ledger_entries_lines: accounts = '{reserve:x,coins:1,coins:2}'; amounts_micro = '{1,-1,null}'
ledger_entries_lines: accounts = '{reserve:x,coins:1,coins:2}'; amounts_micro = '{1,-1,0}'
ledger_entries_reference_check: reference = ''
ledger_entries_reference_check: reference = ${LONG(301)}
ledger_flows_carried_issued_micro_check: issued_micro = 'NaN'
ledger_flows_fees_micro_check: fees_micro = 'NaN'
ledger_flows_minted_micro_check: minted_micro = -1
ledger_flows_minted_micro_check: minted_micro = 'NaN'
ledger_flows_redeemed_micro_check: redeemed_micro = -1
ledger_flows_redeemed_micro_check: redeemed_micro = 'NaN'
ledger_flows_refunded_micro_check: refunded_micro = -1
ledger_flows_refunded_micro_check: refunded_micro = 'NaN'
ledger_flows_transferred_micro_check: transferred_micro = -1
ledger_flows_transferred_micro_check: transferred_micro = 'NaN'
ledger_seals_hash_check: hash = 'x'
ledger_seals_position_check: position = 0
ledger_totals_credit_micro_check: credit_micro = -1
ledger_totals_credit_micro_check: credit_micro = 'NaN'
ledger_totals_debit_micro_check: debit_micro = -1
ledger_totals_debit_micro_check: debit_micro = 'NaN'
lost_chains_reason_check: reason = ''
lost_chains_reason_check: reason = ${LONG(301)}
lost_keys_key_id_check: key_id = 'x'
lost_keys_reason_check: reason = ''
lost_keys_reason_check: reason = ${LONG(501)}
mint_usage_committed_micro_check: committed_micro = -1
mint_usage_key_id_check: key_id = ${LONG(201)}
mint_usage_within_cap: committed_micro = 2
operator_answers_answer_check: answer = '{}'
operator_answers_idempotency_key_check: idempotency_key = ''
operator_answers_idempotency_key_check: idempotency_key = ${LONG(201)}
operator_sessions_check: expires_at = created_at
operator_sessions_made_in_check: made_in = 'x'
operator_sessions_secret_sha256_check: secret_sha256 = 'x'
operator_sessions_shown: operator_id = null
operator_sessions_token_sha256_check: token_sha256 = 'x'
operators_check: token_seen_by = 'x'
operators_check1: emergency_of = 'opr_b'
operators_issuer_check: issuer = ''
operators_issuer_check: issuer = ${LONG(501)}
operators_lost_group: lost_group = true
operators_lost_group: lost_group = true; disabled_at = now(); issuer = null; subject = null; secret_sha256 = repeat('a', 64)
operators_name_check: name = ''
operators_name_check: name = ${LONG(101)}
operators_one_way_in: subject = null
operators_one_way_in: issuer = null; secret_sha256 = repeat('a', 64)
operators_one_way_in: secret_sha256 = repeat('a', 64)
operators_one_way_in: issuer = null; subject = null
operators_operator_id_check: operator_id = 'opr_x'
operators_role_check: role = 'owner'
operators_secret_sha256_check: issuer = null; subject = null; secret_sha256 = 'x'
operators_subject_check: subject = ''
operators_subject_check: subject = ${LONG(256)}
order_holds_reason_check: reason = ''
order_holds_reason_check: reason = ${LONG(301)}
orders_amount_micro_check: amount_micro = 0
orders_created_at_check: created_at = 'infinity'
orders_debit_address_check: debit_address = '0x' || repeat('a', 38); direction = 'REDEEM'
orders_debit_address_check: debit_address = '0x' || repeat('a', 42); direction = 'REDEEM'
orders_debit_matches_direction: debit_address = '0x' || repeat('a', 40)
orders_debit_matches_direction: direction = 'REDEEM'
orders_direction_check: direction = 'OTHER'; debit_address = '0x' || repeat('a', 40)
orders_fee_micro_check: fee_micro = -1
orders_fit_status: status = 'failed'
orders_fit_status: failure_reason = 'x'
orders_fit_status: status = 'completed'
orders_fit_status: status = 'completed'; failure_reason = 'x'; batch_id = 1; batch_index = 0; tx_hash = sha256('x'); block_number = 1
orders_fit_status: status = 'processing'; batch_id = 1; batch_index = 0; tx_hash = sha256('x'); block_number = 1
orders_fit_status: status = 'payment_pending'; direction = 'REDEEM'; debit_address = '0x' || repeat('a', 40)
orders_mint_cap_whole: mint_cap_key_id = 'x'
orders_mint_cap_whole: mint_cap_day = current_date
orders_mint_cap_whole: mint_cap_key_id = 'x'; mint_cap_day = current_date; direction = 'TRANSFER'; debit_address = '0x' || repeat('a', 40)
orders_mint_cap_whole: mint_cap_key_id = 'x'; mint_cap_day = current_date; status = 'payment_pending'
orders_mint_cap_whole: mint_cap_key_id = 'x'; mint_cap_day = current_date; status = 'cancelled'
orders_place_whole: status = 'completed'; batch_id = 1; batch_index = 0; tx_hash = sha256('x')
orders_place_whole: status = 'completed'; batch_id = 1; batch_index = 0; block_number = 1
orders_place_whole: status = 'completed'; batch_id = 1; tx_hash = sha256('x'); block_number = 1
orders_place_whole: batch_index = 0; tx_hash = sha256('x'); block_number = 1
orders_reference_id_check: reference_id = ${LONG(7)}
orders_reference_id_check: reference_id = ${LONG(101)}
orders_status_check: status = 'other'
orders_tx_hash_check: status = 'completed'; batch_id = 1; batch_index = 0; tx_hash = 'x'; block_number = 1
orders_updated_at_check: updated_at = '-infinity'
orders_wallet_address_check: wallet_address = '0x'
orders_wallet_address_check: wallet_address = '0x' || repeat('a', 42)
payment_file_stop_is_only_check: is_only = false
payment_files_content_check: content = '<Document/>'
payment_files_content_hash_check: content_hash = 'x'
payment_files_file_number_check: file_number = 0
payment_files_file_number_check: file_number = 100000000
payment_files_named_by_number: message_id = 'X-00000002'
payment_files_named_by_number: prefix = 'Y'
payment_files_named_by_number: file_number = 2
payment_files_put_out_or_withdrawn: put_out_at = now(); withdrawn_at = now(); withdrawn_for = 'x'
payment_files_withdrawn_for_a_reason: withdrawn_at = now()
payment_files_withdrawn_for_a_reason: withdrawn_for = 'x'
payout_attempts_attempt_check: attempt = 0
payout_attempts_extra_left: is_extra = true
payout_attempts_extra_left: is_extra = true; status = 'rejected'
payout_attempts_extra_left: is_extra = true; status = 'returned'
payout_attempts_status_check: status = 'other'
payouts_amount_sen_check: amount_sen = 0
payouts_attempt_check: attempt = 0
payouts_decided_by_a_rail: status = 'sent'; rail_reference = 'x'
payouts_decided_by_a_rail: status = 'paid'; rail_reference = 'x'
payouts_decided_by_a_rail: status = 'returned'
payouts_held_for_a_reason: status = 'held'
payouts_held_for_a_reason: hold_reason = 'by_operator'
payouts_hold_reason_check: status = 'held'; hold_reason = 'other'
payouts_of_an_order_or_of_parts: order_id = null
payouts_of_an_order_or_of_parts: order_id = null; integration_id = 'int'
payouts_of_an_order_or_of_parts: order_id = null; reference_id = 'reference'
payouts_of_an_order_or_of_parts: reference_id = 'customer/1'
payouts_of_an_order_or_of_parts: integration_id = 'int'; reference_id = 'reference'
payouts_owner_check: owner = ''
payouts_owner_check: owner = ${LONG(201)}
payouts_sent_has_reference: status = 'sent'; rail = 'http'
payouts_sent_has_reference: status = 'paid'; rail = 'http'
payouts_status_check: status = 'other'
payouts_status_since_check: status_since = 'infinity'
reconcile_passes_disputed_check: disputed = '{}'
reconcile_passes_disputed_check: disputed = '[{"was": "1"}]'
reconcile_passes_disputed_check: disputed = '[{"was": "1", "is": "x"}]'
reconcile_runs_differences_check: differences = '[]'
reconcile_runs_differences_check: differences = '{"x": null}'
reconcile_suspects_check: subject = '1'
reconcile_suspects_check: subject = '1/x'
reconcile_suspects_what_check: what = 'other'
reconcile_usage_amount_micro_check: amount_micro = 'NaN'
reconcile_usage_direction_check: direction = 'OTHER'
remembered_answers_status_check: status = 199
remembered_answers_status_check: status = 300
reserve_proofs_is_only_check: is_only = false
reserve_proofs_of_days_day_check: day = 'infinity'
sandbox_faults_remaining_check: remaining = -1
screening_denials_address_check: address = '0x' || repeat('A', 40)
secrets_key_sealed_check: sealed = 'x'
signed_orders_batch_whole: batch_id = null
signed_orders_batch_whole: batch_index = null
simulated_rail_payments_behaviour_check: behaviour = 'other'
timelock_operations_ended: ended_block = 2
timelock_operations_ready: ready_at = null
timelock_operations_status_check: status = 'other'; ended_block = 2
transfer_usage_committed_micro_check: committed_micro = -1
transfer_usage_key_id_check: key_id = ${LONG(201)}
transfer_usage_within_cap: committed_micro = 2
wallet_earmarks_address_check: address = ${LONG(201)}
wallet_earmarks_balance_micro_check: balance_micro = 'NaN'
wallet_earmarks_chain_id_check: chain_id = 0
wallet_earmarks_chain_id_check: chain_id = 9007199254740992
wallet_earmarks_facts_current: facts_epoch = 1
wallet_earmarks_not_negative: earmarked_micro = -1
wallet_earmarks_within_balance: earmarked_micro = 2
wallet_links_address_check: address = '0x1'
wallet_links_consent_check: consent = 'x'
wallet_links_consent_whole: consent = null
wallet_links_consent_whole: consent_deadline = null
wallets_address_check: address = '0x1'
webhook_endpoints_next_secret_encrypted_check: next_secret_encrypted = 'x'
webhook_endpoints_removed_without_secret: status = 'removed'
webhook_endpoints_removed_without_secret: secret_encrypted = null
webhook_endpoints_removed_without_secret: status = 'removed'; secret_encrypted = null; next_secret_encrypted = 'sb1.x'
webhook_endpoints_secret_encrypted_check: secret_encrypted = 'x'
webhook_endpoints_status_check: status = 'other'
webhook_endpoints_url_check: url = ''
webhook_endpoints_url_check: url = ${LONG(2_001)}
withdrawal_usage_committed_micro_check: committed_micro = -1
withdrawal_usage_customer_id_check: customer_id = ${LONG(201)}
withdrawal_usage_within_cap: committed_micro = 2

api_keys_integration_id_fkey: key_id = repeat('b', 16); integration_id = 'other'
approvals_decided_by_fkey: approval_id = 'apr_' || repeat('b', 16); execution = 'y'; decided_by = 'other'
bank_lines_reverses_fkey: line_no = 2; entry = 2; amount_micro = -1; state = 'assigned'; decided_at = now(); reason = 'x'; matched_kind = 'fees'; matched_to = 'x'; reverses = 9
bank_lines_statement_no_fkey: line_no = 2; statement_no = 2
bank_notified_content_hash_fkey: notified_key = repeat('b', 64); content_hash = repeat('b', 64)
bank_paid_mints_line_no_fkey: order_id = 2; line_no = 2
bank_statements_content_hash_fkey: statement_no = 2; position = 2; statement_id = 'y'; sequence = '2'; content_hash = repeat('b', 64)
batch_explanations_chain_id_batch_id_fkey: batch_id = 2
batch_outcomes_chain_id_batch_id_fkey: batch_id = 2
batches_chain_id_fkey: chain_id = 2
corporates_integration_id_fkey: corporate_id = 'y'; integration_id = 'other'
customers_integration_id_fkey: customer_id = 'y'; bank_id = null; integration_id = 'other'
customers_own_bank: customer_id = 'y'; external_id = 'y'
filed_payments_message_id_fkey: end_to_end_id = 'y'; message_id = 'other'
foreign_instructions_chain_id_batch_id_fkey: batch_id = 2; order_id = 2
foreign_movements_chain_id_fkey: movement_id = 2; chain_id = 2
integration_remitters_bank_id_fkey: bank_id = 'bnk_' || repeat('c', 24)
integration_remitters_integration_id_fkey: bank_id = 'bnk_' || repeat('b', 24); integration_id = 'other'
ledger_carried_through_fkey: through = '2026-01-02'
ledger_flows_carried_through_fkey: through = '2026-01-02'
lost_chains_chain_id_fkey: chain_id = 2
lost_keys_through_statement_fkey: key_id = repeat('b', 16); through_statement = 2
operator_sessions_operator_id_fkey: secret_sha256 = repeat('b', 64); operator_id = 'other'
operators_emergency_of_fkey: operator_id = 'opr_' || repeat('b', 16); name = 'Bala'; subject = 'y'; is_emergency = true; emergency_of = 'other'
payouts_to_own_bank: payout_id = 'po_2'; order_id = 2; burn = null; customer_id = 'other'
sandbox_faults_key_id_fkey: key_id = repeat('b', 16)
signers_chain_id_fkey: chain_id = 2
timelock_operations_chain_id_fkey: chain_id = 2
wallet_links_customer_id_fkey: customer_id = 'other'
wallets_customer_id_fkey: customer_id = 'other'
webhook_endpoints_integration_id_fkey: endpoint_id = 'y'; integration_id = 'other'

approvals_execution_key: approval_id = 'apr_' || repeat('b', 16)
audit_seals_audit_key: position = 2
bank_lines_place: line_no = 2
bank_statements_position: statement_no = 2; statement_id = 'y'; sequence = '2'
customers_external_id: customer_id = 'y'; bank_id = null
deliveries_once_per_endpoint: delivery_id = 2
foreign_instructions_once: instruction_index = 1
foreign_movements_batch_once: movement_id = 2
ledger_entries_reference_key: entry_id = 2
lost_orders_remint_key: order_id = 2
ledger_seals_entry_key: position = 2
operators_identity: operator_id = 'opr_' || repeat('b', 16); name = 'Bala'
orders_reference_unique: order_id = 2
payout_attempts_end_to_end_id_unique: attempt = 2
payouts_burn_unique: payout_id = 'po_2'; order_id = 2
payouts_order_id_key: payout_id = 'po_2'; burn = null
bank_statements_content_stands: statement_no = 2; position = 2; statement_id = 'y'
bank_statements_content_stands: statement_no = 2; position = 2; statement_id = 'y'; line_count = 0; sequence = '1'
bank_statements_id_stands: statement_no = 2; position = 2; digest = repeat('b', 64)
batches_nonce_in_flight: batch_id = 2
batches_nonce_in_flight: batch_id = 2; status = 'mined'; tx_hash = 'x'; mined_block = 1; mined_hash = 'x'
operators_name: operator_id = 'opr_' || repeat('b', 16); subject = 'y'; name = 'AISYAH'
reconcile_passes_one_of_each: pass_no = 2
wallets_one_primary: address = '0x' || repeat('b', 40)
`

/** No copy is refused by these: the primary key alone keeps the same rows apart. */
export const BESIDE_THE_PRIMARY_KEY = ['bank_details_of_customer_unique']

/** What none refuses: `table: column = expression; …`. */
export const TAKEN = `
bank_imports: content_hash = repeat('b', 64); refusal_code = 'x'; refusal_sentence = 'x'
bank_statements: statement_no = 2; position = null; applied_at = null; withdrawn_at = now(); withdrawn_for = 'x'
bank_statements: statement_no = 2; position = 2; statement_id = 'y'; sequence = '2'
batches: batch_id = 2; status = 'abandoned'
wallets: address = '0x' || repeat('b', 40); is_primary = false
customer_residuals: customer_id = 'y'; owed_micro = -9999; reserved_micro = 0
`
