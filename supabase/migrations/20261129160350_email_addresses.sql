-- The schema and the auth service share one definition of an email address (wire/emailAddress.ts). Before, an invitation accepted
-- a domain with umlauts, but the auth service refused it, so the invited person could never join. Both spellings of
-- such a domain are one address, stored in ASCII. An address without a dot after the @ reaches nobody on the internet.

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

create or replace function app.is_email_address(address text) returns boolean
language sql immutable set search_path = ''
as $$ select case when address is not null then app.email_address(address) is not distinct from address end $$;
comment on function app.is_email_address is
  'Whether an address can be one of an account, and is written as it is stored (app.email_address); null for null.';

-- Converts addresses that were stored in the other spelling.
update public.invitations i set email = app.email_address(i.email)
where i.email ~ '[^ -~]' and app.email_address(i.email) is not null;
delete from public.sign_up_requests r where r.email ~ '[^ -~]';

create or replace function public.create_invitation(
  workspace uuid, role text, channels uuid[], email text default null, max_uses integer default null,
  hours integer default 168, access_days integer default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member');
  token constant text := app.random_token();
  -- A text that cannot be an address stays as it is, and is refused.
  address constant text := coalesce(app.email_address(create_invitation.email), nullif(btrim(create_invitation.email), ''));
  opened constant uuid[] := array(select distinct c from unnest(channels[1:101]) c);
  invitation public.invitations;
begin
  if not app.can_invite(me, workspace, 'member') then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if create_invitation.role is null or create_invitation.role not in ('admin', 'member', 'guest')
    or hours is null or hours not between 1 and 720
    or create_invitation.max_uses not between 1 and 1000
    or create_invitation.access_days not between 1 and 365
    or (create_invitation.access_days is not null and create_invitation.role <> 'guest')
    or not app.is_email_address(address)
  then
    raise exception using errcode = 'PT400', message = 'bad_invitation';
  end if;
  if cardinality(channels) > 100 then
    raise exception using errcode = 'PT400', message = 'too_many_channels';
  end if;
  if not app.can_invite(me, workspace, create_invitation.role) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if create_invitation.role = 'guest' and cardinality(opened) = 0 then
    raise exception using errcode = 'PT400', message = 'guest_needs_channel';
  end if;
  if 1000 <= (
    select count(*) from public.invitations i where i.invited_by = me and i.created_at > now() - interval '1 day')
  then
    raise exception using errcode = 'PT409', message = 'too_many_invitations';
  end if;
  -- Nobody may open a channel that they cannot read. Checked again under the locks that making a channel private and
  -- removing a member take.
  perform app.require_readable_channels(workspace, opened);
  perform app.lock_channels(opened);
  perform app.require_readable_channels(workspace, opened);
  insert into public.invitations (workspace_id, token_hash, role, email, invited_by, max_uses, expires_at, access_days)
  values (workspace, app.hash_token(token), create_invitation.role, address, me,
    coalesce(create_invitation.max_uses, case when address is null then 50 else 1 end),
    now() + make_interval(hours => hours), create_invitation.access_days)
  returning * into invitation;
  insert into public.invitation_channels (invitation_id, channel_id)
  select invitation.id, c.id from unnest(opened) c (id);
  return jsonb_build_object('id', invitation.id, 'token', token, 'expires_at', invitation.expires_at);
end
$$;
comment on function public.create_invitation is
  'Creates an invitation for one address or for everyone who has the link, 1,000 at most by a person in a day. Only owners '
  'invite admins; members invite where the workspace allows it. The access of guests can end some days after they have '
  'joined.';

create or replace function public.invite_by_mail(
  workspace uuid, emails text[], role text, channels uuid[], hours integer default 168, access_days integer default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member');
  addresses constant text[] := array(
    select distinct coalesce(app.email_address(e), btrim(e)) from unnest(emails[1:101]) e where btrim(e) <> '' order by 1);
  max_per_day constant integer := (
    select s.value::integer from public.settings s where s.key = 'invitation_mails_per_day');
  address text;
  created uuid;
begin
  if not app.can_invite(me, workspace, 'member') then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if cardinality(addresses) = 0 or cardinality(emails) > 100 then
    raise exception using errcode = 'PT400', message = 'bad_invitation';
  end if;
  -- Concurrent calls would not count each other's mails.
  perform pg_advisory_xact_lock(hashtextextended('linnet_invitations ' || workspace, 0));
  if (select count(*) from public.invitations i
      where i.workspace_id = workspace and i.created_at > now() - interval '1 day' and i.mail_state is not null)
    + cardinality(addresses) > max_per_day
    or exists (
      select from public.invitations i
      where i.workspace_id = workspace and i.email = any (addresses) and i.created_at > now() - interval '1 day'
        and i.mail_state is not null
      group by i.email having count(*) >= 5)
  then
    raise exception using errcode = 'PT409', message = 'too_many_invitations';
  end if;
  -- An address has one invitation, so that who revokes the one in the list revokes it. Members replace their own only.
  update public.invitations i set revoked_at = now()
  where i.workspace_id = workspace and i.email = any (addresses) and i.revoked_at is null and i.uses < i.max_uses
    and (i.invited_by = me or workspace in (select app.my_managed_workspace_ids()));
  foreach address in array addresses loop
    -- Its token is forgotten: the mail gets one of its own.
    created := public.create_invitation(workspace, role, channels, address, 1, hours, access_days) ->> 'id';
    update public.invitations i set mail_state = 'queued' where i.id = created;
    perform app.add_job('invitation', me, jsonb_build_object('invitation_id', created));
  end loop;
  perform app.call_task('notification-mail');
  return jsonb_build_object('invited', cardinality(addresses));
end
$$;
comment on function public.invite_by_mail is
  'Invites up to 100 addresses, each by a mail with a link for one use. Replaces their unused invitations to the workspace. '
  'A workspace sends at most `invitation_mails_per_day`, to one address 5.';

create or replace function public.request_sign_up(token text, email text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  address constant text := app.email_address(request_sign_up.email);
  invitation public.invitations;
begin
  if address is null then
    raise exception using errcode = 'PT400', message = 'email_address_invalid';
  end if;
  invitation := app.require_invitation_or_setup_token(token);
  if invitation.email <> address then
    raise exception using errcode = 'PT403', message = 'invitation_other_email';
  end if;
  -- Before a workspace exists the hook admits everyone.
  if invitation.id is not null then
    delete from public.sign_up_requests r where r.requested_at <= now() - interval '1 hour';
    insert into public.sign_up_requests (invitation_id, email) values (invitation.id, address)
    on conflict (invitation_id, email) do update set requested_at = now();
    delete from public.sign_up_requests r where r.invitation_id = invitation.id and r.email in (
      select o.email from public.sign_up_requests o where o.invitation_id = invitation.id
      order by o.requested_at desc, o.email = address desc offset 100);
  end if;
  return jsonb_build_object('expires_at', now() + interval '1 hour');
end
$$;
comment on function public.request_sign_up is
  'Permits an account for an address within the next hour, for the bearer of an invitation''s token or the set-up '
  'token.';

create or replace function public.before_user_created(event jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  address constant text := coalesce(
    app.email_address(event -> 'user' ->> 'email'), lower(btrim(event -> 'user' ->> 'email')));
  metadata constant jsonb := event -> 'user' -> 'user_metadata';
  inviter constant text := metadata ->> 'invited_by';
  workspace_name constant text := metadata ->> 'workspace_name';
begin
  if (inviter is null and workspace_name is null
      and (not exists (select from public.workspaces) or app.may_sign_up(address)))
    or exists (
    select from public.invitations i
    join public.profiles p on p.id = i.invited_by
    join public.workspaces w on w.id = i.workspace_id
    where (i.email = address or (i.email is null and exists (
        select from public.sign_up_requests r
        where r.email = address and r.invitation_id = i.id and r.requested_at > now() - interval '1 hour')))
      and app.can_invite(i.invited_by, i.workspace_id, i.role)
      and i.revoked_at is null and i.expires_at > now() and i.uses < i.max_uses
      and coalesce(inviter, p.name) = p.name and coalesce(workspace_name, w.name) = w.name
  ) then
    return '{}';
  end if;
  return jsonb_build_object('error', jsonb_build_object('http_code', 403,
    'message', 'This Linnet is by invitation. Ask someone who is in it to invite you.'));
end
$$;
comment on function public.before_user_created is
  'Hook of the auth service: only invited people, and those whose address may join or ask, get accounts, and the mail that '
  'invites them names nobody but its author. It prevents useless accounts; access depends on membership.';

create or replace function public.set_joining_domain(workspace uuid, domain text, admission text default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
  listed constant text := app.ascii_domain(regexp_replace(btrim(set_joining_domain.domain), '^@', ''));
begin
  -- Concurrent calls would not count each other's domains.
  perform from public.workspaces w where w.id = workspace and me is not null for no key update;
  if set_joining_domain.admission is null then
    delete from public.workspace_domains d where d.workspace_id = workspace and d.domain = listed;
    return app.joining_settings_as_json(workspace);
  end if;
  if set_joining_domain.admission not in ('join', 'request') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  elsif listed is null or listed !~ '[.]' then
    raise exception using errcode = 'PT400', message = 'workspace_domains_form';
  elsif app.is_public_mail_domain(listed) then
    raise exception using errcode = 'PT400', message = 'public_mail_domain';
  elsif (select count(*) from public.workspace_domains d where d.workspace_id = workspace and d.domain <> listed) >= 20 then
    raise exception using errcode = 'PT409', message = 'too_many_domains';
  end if;
  insert into public.workspace_domains as d (workspace_id, domain, admission)
  values (workspace, listed, set_joining_domain.admission)
  on conflict (workspace_id, domain) do update set admission = excluded.admission where d.admission <> excluded.admission;
  return app.joining_settings_as_json(workspace);
end
$$;
comment on function public.set_joining_domain is
  'Lists a mail domain whose confirmed addresses may join (join) or request to (request), at most 20, or removes it (null). For owners '
  'and admins. Public mail providers are refused.';

revoke execute on all functions in schema app from public;
