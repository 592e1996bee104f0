-- Creates the schema "surety" and two roles: surety_owner creates the tables (surety migrate), surety_server serves.
-- Neither is a superuser or may create databases or roles. So a flaw in the server reaches no files or programs through
-- PostgreSQL. Run once with psql 15 or newer, as a superuser, in Surety's database:
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

-- Revokes the privileges that every role has through PUBLIC on the schema public and this database. Then lets both
-- roles connect.
revoke all on schema public from public;
select format('revoke all on database %I from public', current_database()) as statement \gexec
select format('grant connect on database %I to surety_owner, surety_server', current_database()) as statement \gexec
