-- The user that the server connects as: it owns the schema "surety" and may do nothing else, so that a flaw in the server
-- reaches no other database, file or program of the machine. Run by psql 15 or newer as a superuser, in the database:
--
--   SURETY_DATABASE_PASSWORD=... psql --dbname surety --set ON_ERROR_STOP=1 --file deploy/database.sql
\getenv password SURETY_DATABASE_PASSWORD

create role surety_server
  login password :'password'
  nosuperuser nocreatedb nocreaterole noreplication nobypassrls;

create schema surety authorization surety_server;

-- What everybody may by default.
revoke all on schema public from public;
select format('revoke all on database %I from public', current_database()) as statement \gexec
select format('grant connect on database %I to surety_server', current_database()) as statement \gexec
