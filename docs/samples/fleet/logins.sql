-- The users of the fleet, for psql as a superuser in the new database: the owner of its tables, and one for each role of the service
-- with the rights that `npm run migrate` gives to its group. Passwords come from the environment.
\set ON_ERROR_STOP on
\getenv owner POSTGRES_OWNER_PASSWORD
\getenv api POSTGRES_API_PASSWORD
\getenv settler POSTGRES_SETTLER_PASSWORD
\getenv payer POSTGRES_PAYER_PASSWORD
\getenv courier POSTGRES_COURIER_PASSWORD
\getenv operator POSTGRES_OPERATOR_PASSWORD
create role stablecoin_api nologin;
create role stablecoin_settler nologin;
create role stablecoin_payer nologin;
create role stablecoin_courier nologin;
create role stablecoin_operator nologin;
create role coin_owner login password :'owner';
create role coin_api login password :'api' in role stablecoin_api;
create role coin_settler login password :'settler' in role stablecoin_settler;
create role coin_payer login password :'payer' in role stablecoin_payer;
create role coin_courier login password :'courier' in role stablecoin_courier;
create role coin_operator login password :'operator' in role stablecoin_operator;
-- What a login's queries may put aside on the disk. Only a superuser can lift it; nothing of the service needs as much.
alter role coin_api set temp_file_limit = '2GB';
alter role coin_settler set temp_file_limit = '2GB';
alter role coin_payer set temp_file_limit = '2GB';
alter role coin_courier set temp_file_limit = '2GB';
alter role coin_operator set temp_file_limit = '2GB';
alter database :"DBNAME" owner to coin_owner;
revoke all on database :"DBNAME" from public;
grant connect on database :"DBNAME" to coin_api, coin_settler, coin_payer, coin_courier, coin_operator;
