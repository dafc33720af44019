-- Who may do what in the database, as the SQL of src says. Written by `npm run grants`; do not edit.
-- `npm run migrate` applies it as the owner of the tables; a database user is given a role by `grant stablecoin_api to …`.
do $$
declare
  role text;
begin
  foreach role in array array['stablecoin_api', 'stablecoin_settler', 'stablecoin_payer', 'stablecoin_courier', 'stablecoin_operator'] loop
    begin
      if not exists (select from pg_roles where rolname = role) then
        execute format('create role %I nologin', role);
      end if;
    exception
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then
        raise exception 'The role % is missing, and % may not make it: have somebody do so who may (create role % nologin).',
          role, current_user, role;
    end;
  end loop;
end $$;
revoke create on schema public from public;
do $$
begin
  -- Nothing here needs temporary tables.
  execute format('revoke temporary on database %I from public', current_database());
exception
  -- PostgreSQL may also leave it undone without an error: `npm run migrate` looks afterwards.
  when insufficient_privilege then null;
end $$;

-- api
grant usage on schema public to stablecoin_api;
grant select, insert, update (last_used_at, last_used_from) on api_key_uses to stablecoin_api;
grant select on api_keys to stablecoin_api;
grant select on batches to stablecoin_api;
grant select on chain_limits to stablecoin_api;
grant select on chains to stablecoin_api;
grant select on corporates to stablecoin_api;
grant select on customers to stablecoin_api;
grant select on database_environment to stablecoin_api;
grant select on database_timelines to stablecoin_api;
grant select, insert on deliveries to stablecoin_api;
grant select, insert on events to stablecoin_api;
grant select on foreign_instructions to stablecoin_api;
grant select on foreign_movements to stablecoin_api;
grant select, insert on idempotency_keys to stablecoin_api;
grant select on integrations to stablecoin_api;
grant select on ledger_book to stablecoin_api;
grant select, insert, update (committed_micro, cap_micro) on mint_usage to stablecoin_api;
grant select, insert, update (updated_at, mint_cap_day, mint_cap_key_id, status) on orders to stablecoin_api;
grant select on payouts to stablecoin_api;
grant select on reconcile_runs to stablecoin_api;
grant select, insert on remembered_answers to stablecoin_api;
grant select on reserve_proofs to stablecoin_api;
grant select on schema_migrations to stablecoin_api;
grant select on screening_denials to stablecoin_api;
grant select, insert on secrets_key to stablecoin_api;
grant select on signed_orders to stablecoin_api;
grant select, insert, update (committed_micro, cap_micro) on transfer_usage to stablecoin_api;
grant select, insert, update (earmarked_micro, facts_epoch, balance_micro) on wallet_earmarks to stablecoin_api;
grant select on wallets to stablecoin_api;
grant select (endpoint_id, integration_id, url, event_types, status, disabled_reason, created_at, updated_at) on webhook_endpoints to stablecoin_api;
grant select, insert, update (committed_micro, cap_micro) on withdrawal_usage to stablecoin_api;
grant usage on sequence deliveries_delivery_id_seq, events_event_seq_seq to stablecoin_api;

-- settler
grant usage on schema public to stablecoin_settler;
grant select (key_id, integration_id, environment, scopes, ip_allowlist, rate_read, rate_write, rate_balances, transfer_tx_cap_micro, transfer_day_cap_micro, mint_day_cap_micro, cap_key_id, expires_at, revoked_at, created_at) on api_keys to stablecoin_settler;
grant select on bank_lines to stablecoin_settler;
grant select on bank_notified to stablecoin_settler;
grant select on bank_statements to stablecoin_settler;
grant select, insert, update (last_broadcast_at, last_answer) on batch_attempts to stablecoin_settler;
grant select, delete on batch_attempts_default to stablecoin_settler;
grant select, delete on batch_explanations to stablecoin_settler;
grant select, insert, update on batches to stablecoin_settler;
grant select, insert, update (capacity_micro, read_at) on chain_limits to stablecoin_settler;
grant select, insert, update (observed_block, observed_hash, next_batch_id, running_hash, timelock_block, watched_limits, fenced_on) on chains to stablecoin_settler;
grant select, insert, update (owed_micro, reserved_micro) on customer_residuals to stablecoin_settler;
grant select on customers to stablecoin_settler;
grant select on database_environment to stablecoin_settler;
grant select, insert, update (after_order_id) on database_timelines to stablecoin_settler;
grant select, insert on deliveries to stablecoin_settler;
grant select, delete on deliveries_default to stablecoin_settler;
grant select on delivery_attempts to stablecoin_settler;
grant select, delete on delivery_attempts_default to stablecoin_settler;
grant select, insert on events to stablecoin_settler;
grant select, delete on events_default to stablecoin_settler;
grant select, insert, update (order_id) on foreign_instructions to stablecoin_settler;
grant select, insert on foreign_movements to stablecoin_settler;
grant select on integrations to stablecoin_settler;
grant select, insert, update (holder, token, expires_at, lasts) on leases to stablecoin_settler;
grant select on ledger_book to stablecoin_settler;
grant select on ledger_carried to stablecoin_settler;
grant select on ledger_closings to stablecoin_settler;
grant select, insert on ledger_entries to stablecoin_settler;
grant select, insert, update (minted_micro, refunded_micro, redeemed_micro, transferred_micro, fees_micro) on ledger_flows to stablecoin_settler;
grant select on ledger_totals to stablecoin_settler;
grant select, insert on ledger_unsealed to stablecoin_settler;
grant select, update (committed_micro) on mint_usage to stablecoin_settler;
grant select, insert, delete on order_holds to stablecoin_settler;
grant select, update on orders to stablecoin_settler;
grant select, insert, update (status, is_extra, times_sent, rail_reference, paid_from, paid_reference, returned_to, returned_reference, is_shown, reason, updated_at) on payout_attempts to stablecoin_settler;
grant select, insert, update (rail, status, status_since, hold_reason, attempt, end_to_end_id, claimed_until, bank_id, rail_reference, last_error, updated_at) on payouts to stablecoin_settler;
grant select on reconcile_runs to stablecoin_settler;
grant select (integration_id, idempotency_key, status, created_at) on remembered_answers to stablecoin_settler;
grant select, delete on remembered_answers_default to stablecoin_settler;
grant select on schema_migrations to stablecoin_settler;
grant select on screening_denials to stablecoin_settler;
grant select, insert on secrets_key to stablecoin_settler;
grant select, insert, update (reason, details, blocked, history_read_on, since, seen_at) on settlement_holds to stablecoin_settler;
grant select, insert, update (batch_id, since, batch_index, abandoned_batch_id), delete on signed_orders to stablecoin_settler;
grant select, insert, update (next_nonce) on signers to stablecoin_settler;
grant select, insert on tag_conflicts to stablecoin_settler;
grant select, insert, update (tx_hash, scheduled_block, sent_by, status, ready_at) on timelock_operations to stablecoin_settler;
grant select, update (committed_micro) on transfer_usage to stablecoin_settler;
grant select, update (earmarked_micro, epoch, facts_epoch, balance_micro) on wallet_earmarks to stablecoin_settler;
grant select on wallets to stablecoin_settler;
grant select (endpoint_id, integration_id, url, event_types, status, disabled_reason, created_at, updated_at) on webhook_endpoints to stablecoin_settler;
grant select, update (committed_micro) on withdrawal_usage to stablecoin_settler;
grant usage on sequence deliveries_delivery_id_seq, events_event_seq_seq to stablecoin_settler;
grant execute on function drop_month, hold_months, make_month to stablecoin_settler;

-- payer
grant usage on schema public to stablecoin_payer;
grant select (key_id, integration_id, environment, scopes, ip_allowlist, rate_read, rate_write, rate_balances, transfer_tx_cap_micro, transfer_day_cap_micro, mint_day_cap_micro, cap_key_id, expires_at, revoked_at, created_at) on api_keys to stablecoin_payer;
grant select, insert, delete on bank_details to stablecoin_payer;
grant select, insert, update (name, definition, message_id, created_on, refusal_code, refusal_sentence, imported_at) on bank_imports to stablecoin_payer;
grant select, insert, update (reason), delete on bank_left to stablecoin_payer;
grant select, insert, update (state, matched_kind, matched_to, reason, decided_at, allocation) on bank_lines to stablecoin_payer;
grant select, insert, update (is_shown) on bank_notified to stablecoin_payer;
grant select, insert on bank_paid_mints to stablecoin_payer;
grant select, insert, update (position, applied_at) on bank_statements to stablecoin_payer;
grant select on batch_explanations to stablecoin_payer;
grant select on batches to stablecoin_payer;
grant select on chains to stablecoin_payer;
grant select on customer_residuals to stablecoin_payer;
grant select on customers to stablecoin_payer;
grant select on database_environment to stablecoin_payer;
grant select, insert on deliveries to stablecoin_payer;
grant select, insert on events to stablecoin_payer;
grant select, insert, update (message_id, not_opened_since, withdrawn_at, status_code, meaning, status_reason, reported_at) on filed_payments to stablecoin_payer;
grant select on foreign_instructions to stablecoin_payer;
grant select on foreign_movements to stablecoin_payer;
grant select on integration_remitters to stablecoin_payer;
grant select on integrations to stablecoin_payer;
grant select, insert, update (holder, token, expires_at, lasts) on leases to stablecoin_payer;
grant select on ledger_book to stablecoin_payer;
grant select on ledger_carried to stablecoin_payer;
grant select on ledger_closings to stablecoin_payer;
grant select, insert on ledger_entries to stablecoin_payer;
grant select, insert, update (minted_micro, refunded_micro, redeemed_micro, transferred_micro, fees_micro) on ledger_flows to stablecoin_payer;
grant select, insert on ledger_seals to stablecoin_payer;
grant select, insert, update (debit_micro, credit_micro) on ledger_totals to stablecoin_payer;
grant select, insert, delete on ledger_unsealed to stablecoin_payer;
grant select on lost_keys to stablecoin_payer;
grant select on mint_usage to stablecoin_payer;
grant select, update on orders to stablecoin_payer;
grant select, insert, update (reason) on payment_file_stop to stablecoin_payer;
grant select, insert, update (content, content_hash, put_out_at, not_opened_since, withdrawn_at, withdrawn_for, is_read_back) on payment_files to stablecoin_payer;
grant select, insert, update (status, is_extra, times_sent, rail_reference, paid_from, paid_reference, returned_to, returned_reference, is_shown, reason, updated_at) on payout_attempts to stablecoin_payer;
grant select, update (rail, status, status_since, hold_reason, attempt, end_to_end_id, ask_first, burn, attempts, next_attempt_at, claimed_until, bank_id, rail_reference, last_error, updated_at) on payouts to stablecoin_payer;
grant select, insert, update (position) on reconcile_cursors to stablecoin_payer;
grant select, insert, delete on reconcile_open to stablecoin_payer;
grant select, insert, update (through_order_id, is_complete, disputed), delete on reconcile_passes to stablecoin_payer;
grant select, insert on reconcile_runs to stablecoin_payer;
grant select, insert, delete on reconcile_suspects to stablecoin_payer;
grant select, insert, update (amount_micro), delete on reconcile_usage to stablecoin_payer;
grant select, insert, update (made_at, proof) on reserve_proofs to stablecoin_payer;
grant select on schema_migrations to stablecoin_payer;
grant select, insert on secrets_key to stablecoin_payer;
grant select on signed_orders to stablecoin_payer;
grant select, insert on simulated_rail_payments to stablecoin_payer;
grant select on tag_conflicts to stablecoin_payer;
grant select on transfer_usage to stablecoin_payer;
grant select on wallet_earmarks to stablecoin_payer;
grant select (endpoint_id, integration_id, url, event_types, status, disabled_reason, created_at, updated_at) on webhook_endpoints to stablecoin_payer;
grant select on withdrawal_usage to stablecoin_payer;
grant usage on sequence deliveries_delivery_id_seq, events_event_seq_seq to stablecoin_payer;

-- courier
grant usage on schema public to stablecoin_courier;
grant select on database_environment to stablecoin_courier;
grant select, update (next_attempt_at, claimed_until, scheduled_from, claim, attempts, status) on deliveries to stablecoin_courier;
grant select, insert on delivery_attempts to stablecoin_courier;
grant select on events to stablecoin_courier;
grant select on foreign_movements to stablecoin_courier;
grant select on ledger_book to stablecoin_courier;
grant select on orders to stablecoin_courier;
grant select on payouts to stablecoin_courier;
grant select on reconcile_runs to stablecoin_courier;
grant select on schema_migrations to stablecoin_courier;
grant select, insert on secrets_key to stablecoin_courier;
grant select on signed_orders to stablecoin_courier;
grant select, update (status, disabled_reason, updated_at) on webhook_endpoints to stablecoin_courier;

-- operator
grant usage on schema public to stablecoin_operator;
grant select on api_key_uses to stablecoin_operator;
grant select, insert, update (ip_allowlist, rate_read, rate_write, rate_balances, transfer_tx_cap_micro, transfer_day_cap_micro, mint_day_cap_micro, expires_at, revoked_at) on api_keys to stablecoin_operator;
grant select, insert, update (body, expires_at, status, decided_by, decided_at, reason, withdrawn_by_name, execution, used_at, outcome) on approvals to stablecoin_operator;
grant select, insert on audit_log to stablecoin_operator;
grant select, insert on audit_seals to stablecoin_operator;
grant select, insert, delete on audit_unsealed to stablecoin_operator;
grant select, insert, update (sealed, account_key, text_key, name_keys), delete on bank_details to stablecoin_operator;
grant select, insert, update (name, definition, message_id, created_on, refusal_code, refusal_sentence, imported_at) on bank_imports to stablecoin_operator;
grant select on bank_left to stablecoin_operator;
grant select, insert, update (state, matched_kind, matched_to, reason, decided_at, taken_back, freed_from, allocation) on bank_lines to stablecoin_operator;
grant select, insert, update (is_shown) on bank_notified to stablecoin_operator;
grant select, insert, delete on bank_paid_mints to stablecoin_operator;
grant select, insert, update (position, applied_at, withdrawn_at, withdrawn_for) on bank_statements to stablecoin_operator;
grant select on batch_attempts to stablecoin_operator;
grant select, insert on batch_explanations to stablecoin_operator;
grant select, update (status, mined_block, mined_hash, success_bitmap, finalized_at, taken_back) on batches to stablecoin_operator;
grant select on chain_limits to stablecoin_operator;
grant select, update (created_at) on chains to stablecoin_operator;
grant select, insert, update (company_name, verification_status, verification_stage, verified_at, country_code, industry, can_mint, can_redeem, can_payroll) on corporates to stablecoin_operator;
grant select, update (owed_micro, reserved_micro, settlements) on customer_residuals to stablecoin_operator;
grant select, insert, update (account_type, verification_status, verification_level, verified_at, country_code, is_resident, monthly_cap_micro, can_mint, can_redeem, can_transfer, bank_id, external_id, erased_at) on customers to stablecoin_operator;
grant select on database_environment to stablecoin_operator;
grant select on database_timelines to stablecoin_operator;
grant select, insert, update (next_attempt_at, claimed_until, scheduled_from, claim, attempts, status) on deliveries to stablecoin_operator;
grant select on delivery_attempts to stablecoin_operator;
grant select, insert on events to stablecoin_operator;
grant select, insert, update (amount_sen, bank_id, message_id, not_opened_since, withdrawn_at, status_code, meaning, status_reason, reported_at) on filed_payments to stablecoin_operator;
grant select, update (order_id, not_of_order_id) on foreign_instructions to stablecoin_operator;
grant select, update (ended_at) on foreign_movements to stablecoin_operator;
grant select, insert, delete on integration_remitters to stablecoin_operator;
grant select, insert, update (status, dpa_signed_on) on integrations to stablecoin_operator;
grant select, insert, update (holder, token, expires_at, lasts) on leases to stablecoin_operator;
grant select, update (closed_through) on ledger_book to stablecoin_operator;
grant select, insert on ledger_carried to stablecoin_operator;
grant select, insert on ledger_closings to stablecoin_operator;
grant select, insert on ledger_entries to stablecoin_operator;
grant select, insert, update (minted_micro, refunded_micro, redeemed_micro, transferred_micro, fees_micro) on ledger_flows to stablecoin_operator;
grant select, insert on ledger_flows_carried to stablecoin_operator;
grant select, insert on ledger_seals to stablecoin_operator;
grant select, insert, update (debit_micro, credit_micro) on ledger_totals to stablecoin_operator;
grant select, insert, delete on ledger_unsealed to stablecoin_operator;
grant select, insert on lost_keys to stablecoin_operator;
grant select, update (committed_micro) on mint_usage to stablecoin_operator;
grant select, insert, update (answer) on operator_answers to stablecoin_operator;
grant select, insert, update (last_used_at), delete on operator_sessions to stablecoin_operator;
grant select, insert, update (role, secret_sha256, token_seen_by, signed_in_at, disabled_at, lost_group) on operators to stablecoin_operator;
grant select, insert, update (reason), delete on order_holds to stablecoin_operator;
grant select, insert, update on orders to stablecoin_operator;
grant select, insert, update (reason), delete on payment_file_stop to stablecoin_operator;
grant select, insert, update (content, content_hash, put_out_at, not_opened_since, withdrawn_at, withdrawn_for, is_read_back) on payment_files to stablecoin_operator;
grant select, insert, update on payout_attempts to stablecoin_operator;
grant select, insert, update (rail, status, status_since, hold_reason, owner, attempt, end_to_end_id, ask_first, refunds, by_hand, retries, next_attempt_at, claimed_until, bank_id, rail_reference, last_error, updated_at), delete on payouts to stablecoin_operator;
grant select, insert, update (position) on reconcile_cursors to stablecoin_operator;
grant select, insert, delete on reconcile_open to stablecoin_operator;
grant select, insert, update (through_order_id, is_complete, disputed), delete on reconcile_passes to stablecoin_operator;
grant select on reconcile_runs to stablecoin_operator;
grant select, insert, delete on reconcile_suspects to stablecoin_operator;
grant select, insert, update (amount_micro), delete on reconcile_usage to stablecoin_operator;
grant select on reserve_proofs to stablecoin_operator;
grant select on schema_migrations to stablecoin_operator;
grant select, insert, delete on screening_denials to stablecoin_operator;
grant select, insert, update (is_next), delete on secrets_key to stablecoin_operator;
grant select on settlement_holds to stablecoin_operator;
grant select, insert, delete on signed_orders to stablecoin_operator;
grant select, update (created_at), delete on tag_conflicts to stablecoin_operator;
grant select on timelock_operations to stablecoin_operator;
grant select, update (committed_micro) on transfer_usage to stablecoin_operator;
grant select, update (earmarked_micro, epoch, facts_epoch, balance_micro) on wallet_earmarks to stablecoin_operator;
grant select, insert, update (consent, consent_deadline, linked_at), delete on wallet_links to stablecoin_operator;
grant select, insert, update (is_primary), delete on wallets to stablecoin_operator;
grant select, insert, update on webhook_endpoints to stablecoin_operator;
grant select, update (committed_micro) on withdrawal_usage to stablecoin_operator;
grant usage on sequence deliveries_delivery_id_seq, events_event_seq_seq to stablecoin_operator;
