-- JSON Web Tokens with HMAC signatures: the functions of pgjwt 0.2.0, over pgcrypto.

create function @extschema@.url_encode(data bytea) returns text
language sql immutable as $$
  select pg_catalog.translate(pg_catalog.encode(data, 'base64'), e'+/=\n', '-_')
$$;

create function @extschema@.url_decode(data text) returns bytea
language sql immutable as $$
  select pg_catalog.decode(
    pg_catalog.translate(data, '-_', '+/') || pg_catalog.repeat('=', (4 - pg_catalog.length(data) % 4) % 4), 'base64')
$$;

create function @extschema@.algorithm_sign(signables text, secret text, algorithm text) returns text
language sql immutable as $$
  -- What is none of the three is null to hmac, and so is the signature: nothing is then valid.
  select @extschema@.url_encode(@extschema:pgcrypto@.hmac(signables, secret,
    case algorithm when 'HS256' then 'sha256' when 'HS384' then 'sha384' when 'HS512' then 'sha512' end))
$$;

create function @extschema@.sign(payload json, secret text, algorithm text default 'HS256') returns text
language sql immutable as $$
  select signables || '.' || @extschema@.algorithm_sign(signables, secret, algorithm)
  from (
    select @extschema@.url_encode(pg_catalog.convert_to('{"alg":"' || algorithm || '","typ":"JWT"}', 'utf8'))
      || '.' || @extschema@.url_encode(pg_catalog.convert_to(payload::text, 'utf8')) as signables
  ) as head
$$;

create function @extschema@.try_cast_double(inp text) returns double precision
language plpgsql immutable as $$
begin
  return inp::double precision;
exception when others then
  return null;
end
$$;

create function @extschema@.verify(token text, secret text, algorithm text default 'HS256')
returns table (header json, payload json, valid boolean)
language sql stable as $$
  select
    pg_catalog.convert_from(@extschema@.url_decode(parts[1]), 'utf8')::json,
    claims,
    coalesce(parts[3] = @extschema@.algorithm_sign(parts[1] || '.' || parts[2], secret, algorithm), false)
      and pg_catalog.tstzrange(
        pg_catalog.to_timestamp(@extschema@.try_cast_double(claims ->> 'nbf')),
        pg_catalog.to_timestamp(@extschema@.try_cast_double(claims ->> 'exp'))) @> pg_catalog.now()
  from (
    select parts, pg_catalog.convert_from(@extschema@.url_decode(parts[2]), 'utf8')::json as claims
    from (select pg_catalog.regexp_split_to_array(token, '\.') as parts) as split
  ) as read
$$;
