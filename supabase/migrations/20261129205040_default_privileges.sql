-- Only the owner may execute a new function. For all schemas: a default for one schema cannot revoke what PostgreSQL grants.
alter default privileges revoke execute on functions from public;
