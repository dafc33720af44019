-- expands
-- A statement that waits can be withdrawn for good: the bank has replaced it, or it was wrong. Nothing of it is ever booked, and what
-- replaces it may have its id.
alter table bank_statements
  add column withdrawn_at timestamptz,
  add column withdrawn_for text check (length(withdrawn_for) between 1 and 500),
  add constraint bank_statements_withdrawn_whole check ((withdrawn_at is null) = (withdrawn_for is null)),
  add constraint bank_statements_withdrawn_or_applied check (withdrawn_at is null or position is null);

create unique index bank_statements_id_stands on bank_statements (bank_account, statement_id) where withdrawn_at is null;
create unique index bank_statements_content_stands on bank_statements (bank_account, digest) where withdrawn_at is null;
alter table bank_statements drop constraint bank_statements_id, drop constraint bank_statements_content;

create or replace function guard_bank_statement() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'DELETE' or old.position is not null or old.withdrawn_at is not null
      or (to_jsonb(new) - array['position', 'applied_at', 'withdrawn_at', 'withdrawn_for'])
        is distinct from (to_jsonb(old) - array['position', 'applied_at', 'withdrawn_at', 'withdrawn_for']) then
    raise exception 'statement % stands as the bank has said it', old.statement_no
      using errcode = 'check_violation', constraint = 'bank_statements_as_said';
  end if;
  return new;
end $$;
