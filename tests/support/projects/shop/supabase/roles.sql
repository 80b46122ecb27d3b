-- Roles of the cluster: before the migrations, which grant to them.
do $$
begin
  if not exists (select from pg_roles where rolname = 'bookkeeper') then
    create role bookkeeper nologin noinherit;
  end if;
end
$$;
grant bookkeeper to authenticator;
alter role bookkeeper set statement_timeout = '5s';
