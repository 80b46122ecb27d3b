-- Email addresses: the schema and the auth service share one definition (wire/emailAddress.ts). Both spellings of a domain with
-- letters beyond ASCII are one address, stored in ASCII. An address without a dot after the @ reaches nobody on the internet.

create function app.punycode(label text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  digits constant text := 'abcdefghijklmnopqrstuvwxyz0123456789';
  points constant integer[] := array(select ascii(c) from regexp_split_to_table(label, '') c);
  total constant integer := cardinality(points);
  encoded text := coalesce((select string_agg(chr(p), '' order by i) from unnest(points) with ordinality u (p, i) where p < 128), '');
  basic constant integer := char_length(encoded);
  handled integer := basic;
  lowest integer := 128;
  next_lowest integer;
  delta integer := 0;
  bias integer := 72;
  point integer;
  q integer;
  k integer;
  threshold integer;
begin
  if basic > 0 then encoded := encoded || '-'; end if;
  while handled < total loop
    next_lowest := (select min(p) from unnest(points) p where p >= lowest);
    delta := delta + (next_lowest - lowest) * (handled + 1);
    lowest := next_lowest;
    foreach point in array points loop
      if point < lowest then delta := delta + 1; end if;
      continue when point <> lowest;
      q := delta;
      k := 36;
      loop
        threshold := case when k <= bias then 1 when k >= bias + 26 then 26 else k - bias end;
        exit when q < threshold;
        encoded := encoded || substr(digits, threshold + (q - threshold) % (36 - threshold) + 1, 1);
        q := (q - threshold) / (36 - threshold);
        k := k + 36;
      end loop;
      encoded := encoded || substr(digits, q + 1, 1);
      delta := case when handled = basic then delta / 700 else delta / 2 end;
      delta := delta + delta / (handled + 1);
      k := 0;
      while delta > 455 loop
        delta := delta / 35;
        k := k + 36;
      end loop;
      bias := k + 36 * delta / (delta + 38);
      delta := 0;
      handled := handled + 1;
    end loop;
    delta := delta + 1;
    lowest := lowest + 1;
  end loop;
  return encoded;
end
$$;
comment on function app.punycode is 'A label of a domain in ASCII (RFC 3492), without its prefix; at most 63 characters.';

create function app.ascii_domain(domain text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  labels text[];
begin
  -- The length first: normalizing takes time.
  if domain is null or char_length(domain) > 253 or not app.is_legible(domain) then return null; end if;
  if domain ~ '[^ -~]' then
    -- Characters that end the host of a URL are in no domain.
    if domain ~ '[]\[[:space:][:cntrl:]/?#@:\\%<>^|]' then return null; end if;
    labels := string_to_array(translate(lower(normalize(domain, nfkc)), U&'\3002', '.'), '.');
    if exists (select from unnest(labels) l where char_length(l) > 63) then return null; end if;
    labels := array(
      select case when l ~ '^[ -~]*$' then l else 'xn--' || app.punycode(l) end
      from unnest(labels) with ordinality o (l, i) order by i);
    domain := array_to_string(labels, '.');
  end if;
  domain := lower(domain);
  return case when char_length(domain) <= 253
    and domain ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?([.][a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$' then domain end;
end
$$;
comment on function app.ascii_domain is
  'A domain as mail servers write it: in lower case, with punycode for letters beyond ASCII. Null if it is not a domain.';

create function app.email_address(entered text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  trimmed constant text := btrim(entered);
  local_part text;
  domain text;
begin
  if trimmed is null or char_length(trimmed) > 255 then return null; end if;
  local_part := substring(trimmed from '^([a-zA-Z0-9.!#$%&''*+/=?^_`{|}~-]+)@[^@]+$');
  domain := app.ascii_domain(substring(trimmed from '@([^@]+)$'));
  return case when domain ~ '[.]' then lower(local_part) || '@' || domain end;
end
$$;
comment on function app.email_address is
  'An email address as the auth service stores it: in lower case, with the domain in ASCII. The domain must have a dot. Null '
  'if the text is not an address.';

create function app.is_email_address(address text) returns boolean
language sql immutable set search_path = ''
as $$ select case when address is not null then app.email_address(address) is not distinct from address end $$;
comment on function app.is_email_address is
  'Whether an address can be one of an account, and is written as it is stored (app.email_address); null for null.';
