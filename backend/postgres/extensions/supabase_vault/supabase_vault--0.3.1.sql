-- Secrets, encrypted at rest: the table, view and functions of supabase_vault 0.3.1, over pgcrypto. The key is
-- in a file outside of the tables (linnet_platform.vault_key), so that a dump of them reveals no secret.
-- Encrypt, then authenticate: AES-256 in CBC mode, then HMAC-SHA-256 over what belongs to the row, its nonce and
-- the ciphertext; two keys, derived from the one in the file. What is stored is ciphertext and tag.

set local search_path to pg_catalog, pg_temp;

-- Of pgcrypto's library, but not of its extension: that one postgres may move or drop, and what it then puts in its
-- place would run here with the rights of a superuser.
create function vault._random_bytes(count integer) returns bytea
language c volatile strict as '$libdir/pgcrypto', 'pg_random_bytes';
create function vault._hmac(data bytea, key bytea, type text) returns bytea
language c immutable strict as '$libdir/pgcrypto', 'pg_hmac';
create function vault._encrypt_iv(data bytea, key bytea, iv bytea, type text) returns bytea
language c immutable strict as '$libdir/pgcrypto', 'pg_encrypt_iv';
create function vault._decrypt_iv(data bytea, key bytea, iv bytea, type text) returns bytea
language c immutable strict as '$libdir/pgcrypto', 'pg_decrypt_iv';

create function vault._crypto_aead_det_noncegen() returns bytea
language sql volatile set search_path = '' as $$
  select vault._random_bytes(16)
$$;

create function vault._derive_key(purpose text, key_id bigint, context bytea) returns bytea
language sql stable set search_path = '' as $$
  select vault._hmac(
    pg_catalog.convert_to('linnet vault ' || purpose, 'UTF8') || pg_catalog.int8send(key_id) || context,
    linnet_platform.vault_key(), 'sha256')
$$;

create function vault._tag(
  ciphertext bytea, additional bytea, key_id bigint, context bytea, nonce bytea
) returns bytea
language sql stable set search_path = '' as $$
  -- Lengths first, so that no byte can pass from one part to the next.
  select vault._hmac(
    pg_catalog.int8send(pg_catalog.length(additional)) || additional
      || pg_catalog.int8send(pg_catalog.length(nonce)) || nonce || ciphertext,
    vault._derive_key('authenticate', key_id, context), 'sha256')
$$;

create function vault._crypto_aead_det_encrypt(
  message bytea, additional bytea, key_id bigint, context bytea default 'pgsodium', nonce bytea default null
) returns bytea
language plpgsql security definer set search_path = '' as $$
declare
  ciphertext bytea;
begin
  if nonce is null or pg_catalog.length(nonce) <> 16 then
    raise exception 'the nonce must have 16 bytes';
  end if;
  ciphertext := vault._encrypt_iv(
    message, vault._derive_key('encrypt', key_id, context), nonce, 'aes-cbc/pad:pkcs');
  return ciphertext || vault._tag(ciphertext, additional, key_id, context, nonce);
end
$$;

create function vault._crypto_aead_det_decrypt(
  message bytea, additional bytea, key_id bigint, context bytea default 'pgsodium', nonce bytea default null
) returns bytea
language plpgsql security definer set search_path = '' as $$
declare
  ciphertext bytea := pg_catalog.substr(message, 1, greatest(pg_catalog.length(message) - 32, 0));
begin
  if message is null then
    return null;
  end if;
  if vault._tag(ciphertext, additional, key_id, context, nonce)
    is distinct from pg_catalog.substr(message, pg_catalog.length(ciphertext) + 1)
  then
    raise exception using
      errcode = '22000',
      message = 'invalid ciphertext',
      hint = 'The row was changed by hand, or the vault''s key is not the one that it was written with.';
  end if;
  return vault._decrypt_iv(
    ciphertext, vault._derive_key('encrypt', key_id, context), nonce, 'aes-cbc/pad:pkcs');
end
$$;

create table vault.secrets (
  id uuid primary key default gen_random_uuid(),
  name text,
  description text not null default '',
  secret text not null,
  key_id uuid,
  nonce bytea default vault._crypto_aead_det_noncegen(),
  created_at timestamptz not null default current_timestamp,
  updated_at timestamptz not null default current_timestamp
);
comment on table vault.secrets is
  'Table with encrypted `secret` column for storing sensitive information on disk.';
create unique index on vault.secrets (name) where name is not null;

create view vault.decrypted_secrets as
select
  id, name, description, secret,
  convert_from(
    vault._crypto_aead_det_decrypt(
      decode(secret, 'base64'), convert_to(id::text, 'utf8'), 0, 'pgsodium'::bytea, nonce),
    'utf8') as decrypted_secret,
  key_id, nonce, created_at, updated_at
from vault.secrets;

-- What may be encoded for a row: bound to its id, so that no ciphertext serves in another's place.
create function vault._seal(secret text, id uuid, nonce bytea) returns text
language sql volatile set search_path = '' as $$
  select pg_catalog.encode(
    vault._crypto_aead_det_encrypt(
      pg_catalog.convert_to(secret, 'utf8'), pg_catalog.convert_to(id::text, 'utf8'), 0, 'pgsodium'::bytea, nonce),
    'base64')
$$;

create function vault.create_secret(
  new_secret text, new_name text default null, new_description text default '', new_key_id uuid default null
) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  new_id uuid := pg_catalog.gen_random_uuid();
  new_nonce bytea := vault._crypto_aead_det_noncegen();
begin
  insert into vault.secrets (id, name, description, secret, nonce)
  values (new_id, new_name, new_description, vault._seal(new_secret, new_id, new_nonce), new_nonce);
  return new_id;
end
$$;

create function vault.update_secret(
  secret_id uuid,
  new_secret text default null,
  new_name text default null,
  new_description text default null,
  new_key_id uuid default null
) returns void
language plpgsql security definer set search_path = '' as $$
declare
  -- A nonce serves once.
  new_nonce bytea := vault._crypto_aead_det_noncegen();
begin
  update vault.secrets s
  set
    secret = case when new_secret is null then s.secret else vault._seal(new_secret, s.id, new_nonce) end,
    nonce = case when new_secret is null then s.nonce else new_nonce end,
    name = coalesce(new_name, s.name),
    description = coalesce(new_description, s.description),
    updated_at = pg_catalog.now()
  where s.id = secret_id;
end
$$;

revoke execute on all functions in schema vault from public;
grant usage on schema vault to postgres with grant option;
-- Without upstream's REFERENCES: what checks a foreign key runs with the rights of who owns the table that it leads
-- to, casts of its maker included, and the owner here is a superuser.
grant select, delete, truncate on vault.secrets, vault.decrypted_secrets to postgres with grant option;
grant execute on function
  vault.create_secret(text, text, text, uuid),
  vault.update_secret(uuid, text, text, text, uuid),
  vault._crypto_aead_det_decrypt(bytea, bytea, bigint, bytea, bytea)
  to postgres with grant option;
grant usage on schema vault to service_role;
grant select, delete on vault.secrets, vault.decrypted_secrets to service_role;
grant execute on function
  vault.create_secret(text, text, text, uuid),
  vault.update_secret(uuid, text, text, text, uuid),
  vault._crypto_aead_det_decrypt(bytea, bytea, bigint, bytea, bytea)
  to service_role;

-- Only while it is created as an extension, which it can't be on PostgreSQL 15.
select pg_extension_config_dump('vault.secrets', '')
where exists (select from pg_extension where extname = 'supabase_vault');
