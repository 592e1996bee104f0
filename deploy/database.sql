-- The users of the schema "surety": surety_owner makes its tables (surety migrate), surety_server serves. Neither may do
-- anything else, so that a flaw in the server reaches no other database, file or program of the machine; and the server
-- cannot change what is only appended. Run by psql 15 or newer as a superuser, in the database:
--
--   SURETY_OWNER_PASSWORD=... SURETY_DATABASE_PASSWORD=... psql --dbname surety --set ON_ERROR_STOP=1 --file deploy/database.sql
--
-- What surety_server may do is granted by: surety migrate --serve-as surety_server
\getenv owner_password SURETY_OWNER_PASSWORD
\getenv password SURETY_DATABASE_PASSWORD

create role surety_owner
  login password :'owner_password'
  nosuperuser nocreatedb nocreaterole noreplication nobypassrls;

create role surety_server
  login password :'password'
  nosuperuser nocreatedb nocreaterole noreplication nobypassrls;

create schema surety authorization surety_owner;

-- What everybody may by default.
revoke all on schema public from public;
select format('revoke all on database %I from public', current_database()) as statement \gexec
select format('grant connect on database %I to surety_owner, surety_server', current_database()) as statement \gexec
