-- Names of channels, sections and user groups are compared as people see them (app.name_key). The redefined functions are
-- otherwise as before.

-- Stored names -----------------------------------------------------------------------------------------

-- If names have become equal, the oldest one stays, and the others get a number.
do $$
declare
  named record;
  repeated record;
  taken boolean;
begin
  for named in
    select * from (values
      ('channels', 'workspace_id', $s$c.kind = 'public'$s$, 70),
      ('sections', 'profile_id, workspace_id', 'true', 70),
      ('user_groups', 'workspace_id', 'true', 32)) n (relation, scope, condition, length)
  loop
    for repeated in execute format(
      'select r.row_id, r.name from (
         select c.ctid as row_id, c.name, row_number() over (
           partition by %s, app.name_key(c.name) order by c.created_at, c.id) as number
         from public.%I c where %s) r
       where r.number > 1', named.scope, named.relation, named.condition)
    loop
      for number in 2..1000000 loop
        execute format(
          'select exists (select from public.%1$I c join public.%1$I o on (%2$s) = (%3$s)
             where o.ctid = $1 and %4$s and app.name_key(c.name) = app.name_key($2))', named.relation,
          regexp_replace(named.scope, '(\w+)', 'c.\1', 'g'), regexp_replace(named.scope, '(\w+)', 'o.\1', 'g'),
          named.condition)
          into taken using repeated.row_id, left(btrim(repeated.name), named.length) || ' ' || number;
        continue when taken;
        execute format('update public.%I set name = $2 where ctid = $1', named.relation)
          using repeated.row_id, left(btrim(repeated.name), named.length) || ' ' || number;
        exit;
      end loop;
    end loop;
  end loop;
end
$$;

drop index public.channels_name_unique, public.sections_name_unique, public.user_groups_name_unique;
-- Private channels are left out: an error would reveal that one exists. Decision 23 gives the reasons.
create unique index channels_name_unique on public.channels (workspace_id, app.name_key(name)) where kind = 'public';
create unique index sections_name_unique on public.sections (profile_id, workspace_id, app.name_key(name));
create unique index user_groups_name_unique on public.user_groups (workspace_id, app.name_key(name));

-- Channels ---------------------------------------------------------------------------------------------

create or replace function app.require_free_name(workspace uuid, requested text, own uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  key constant text := app.name_key(requested);
begin
  if exists (
    select from public.channels c
    where c.workspace_id = workspace and c.id <> own and c.kind = 'public' and app.name_key(c.name) = key
  ) or exists (
    select from app.my_readable_channels() r join public.channels c on c.id = r.channel_id
    where c.workspace_id = workspace and c.id <> own and c.kind = 'private' and app.name_key(c.name) = key
  ) then
    raise exception using errcode = 'PT409', message = 'channels_name_unique';
  end if;
end
$$;

-- User groups ------------------------------------------------------------------------------------------

create or replace function app.require_group_name(workspace uuid, id uuid, name text) returns text
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  -- A longer text is not examined. The name is composed, since a mention contains it.
  cleaned constant text := case when octet_length(require_group_name.name) <= 1000
    then normalize(btrim(app.bound_marks(require_group_name.name)), nfc) end;
  key constant text := app.name_key(cleaned);
begin
  if cleaned is null or cleaned !~ '^[^[:space:][:cntrl:]@#<>`][^[:cntrl:]@#<>`]{0,38}[^[:space:][:cntrl:]@#<>`]$' then
    raise exception using errcode = 'PT400', message = 'user_groups_name_form';
  elsif key in ('channel', 'here', 'everyone', 'me')
    or exists (
      select from public.user_groups g
      where g.workspace_id = workspace and g.id <> require_group_name.id and app.name_key(g.name) = key)
    or exists (
      select from public.workspace_members m join public.profiles p on p.id = m.profile_id
      where m.workspace_id = workspace and m.state = 'active' and app.name_key(p.name) = key)
  then
    raise exception using errcode = 'PT409', message = 'group_name_taken';
  end if;
  return cleaned;
end
$$;
comment on function app.require_group_name is
  'The name of a group, trimmed; fails with user_groups_name_form, or with group_name_taken if a group, an active member or a '
  'special mention has an equal one (name_key): a text contains `@name` until it is sent.';

-- Polls ------------------------------------------------------------------------------------------------

create or replace function app.poll_extra(content jsonb, files jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  options text[];
  closes_at timestamptz;
begin
  if jsonb_typeof(content -> 'options') is distinct from 'array'
    or jsonb_array_length(content -> 'options') not between 2 and 20
    or jsonb_path_exists(content, '$.options[*] ? (@.type() != "string")')
    or jsonb_typeof(content -> 'multiple') is distinct from 'boolean'
    or jsonb_typeof(content -> 'anonymous') is distinct from 'boolean'
  then
    raise exception using errcode = 'PT400', message = 'bad_poll';
  end if;
  options := array(
    select btrim(o, E' \t\r\n') from jsonb_array_elements_text(content -> 'options') with ordinality e (o, ordinal)
    order by ordinal);
  if exists (select from unnest(options) o where char_length(o) not between 1 and 200 or not app.is_legible(o))
    or (select count(distinct app.name_key(o)) from unnest(options) o) < cardinality(options)
  then
    raise exception using errcode = 'PT400', message = 'bad_poll';
  end if;
  begin
    closes_at := (content ->> 'closes_at')::timestamptz;
  exception when data_exception then
    raise exception using errcode = 'PT400', message = 'bad_poll';
  end;
  if closes_at not between now() and now() + interval '1 year' then
    raise exception using errcode = 'PT400', message = 'poll_closes_in_the_past';
  end if;
  return jsonb_build_object('options', to_jsonb(options), 'multiple', content -> 'multiple',
    'anonymous', content -> 'anonymous', 'closes_at', closes_at);
end
$$;

-- Reactions --------------------------------------------------------------------------------------------

create function app.is_emoji(key text) returns boolean
language sql immutable set search_path = ''
as $$
  -- An emoji, with a variation selector, a skin tone or a keycap; joined ones; a flag of two letters or of tags.
  select char_length(key) between 1 and 64 and key ~ ('^('
    || '[\u00A9\u00AE\u203C\u2049\u2122\u2139\u2194-\u21AA\u231A-\u23FF\u24C2\u25AA-\u27BF\u2934\u2935\u2B05-\u2B55\u3030'
    || '\u303D\u3297\u3299\U0001F004-\U0001F1E5\U0001F200-\U0001FAFF][\uFE0E\uFE0F]?[\U0001F3FB-\U0001F3FF]?'
    || '[\U000E0020-\U000E007F]*(\u200D|$)'
    || '|[0-9#*]\uFE0F?\u20E3$|[\U0001F1E6-\U0001F1FF]{2}$)+$') and key !~ '\u200D$'
$$;
comment on function app.is_emoji is
  'Whether a text is one emoji, by the grammar of UTS #51 and the blocks in which Unicode encodes them; whether a font has it '
  'is not known here.';

create or replace function app.require_reaction_key(key text, target public.messages) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  poll constant jsonb := target.extras -> 'poll';
begin
  if key is null or char_length(key) not between 1 and 64 or key ~ '[[:cntrl:][:space:]]' then
    raise exception using errcode = 'PT400', message = 'bad_emoji';
  elsif key like 'poll:%' then
    if poll is null or key !~ '^poll:(0|[1-9][0-9]?)$'
      or split_part(key, ':', 2)::integer >= jsonb_array_length(poll -> 'options')
    then
      raise exception using errcode = 'PT400', message = 'bad_emoji';
    elsif (poll ->> 'closes_at')::timestamptz <= clock_timestamp() then
      raise exception using errcode = 'PT409', message = 'poll_closed';
    end if;
  elsif key like 'task:%' then
    if key !~ '^task:[0-9a-f]{8}$' or target.body !~ '\[[ xX]\]' then
      raise exception using errcode = 'PT400', message = 'bad_emoji';
    end if;
  elsif not app.is_emoji(key) and not exists (
    select from public.channels c
    join public.custom_emoji e on e.workspace_id = c.workspace_id
    where c.id = target.channel_id and key = ':' || e.name || ':'
  ) and not exists (
    -- One that was deleted can still be removed, and is shown by its name.
    select from public.reactions r where r.message_id = target.id and r.emoji = key
  ) then
    raise exception using errcode = 'PT400', message = 'bad_emoji';
  end if;
end
$$;

create function app.reaction_key(requested text, target public.messages) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  -- With colons, the name first.
  names text[];
begin
  if char_length(requested) > 64 or requested ~ '^(poll|task):' then return requested; end if;
  if requested ~ '^:.+:$' then
    select array(select ':' || n || ':' from unnest(array[e.name] || e.aliases) with ordinality u (n, ordinal) order by ordinal)
    into names
    from public.channels c join public.custom_emoji e on e.workspace_id = c.workspace_id
    where c.id = target.channel_id and btrim(requested, ':') = any (array[e.name] || e.aliases);
  end if;
  return coalesce((
    select r.emoji from public.reactions r
    where r.message_id = target.id and (r.emoji = requested or r.emoji = any (names)
      or translate(r.emoji, E'\uFE0E\uFE0F', '') = translate(requested, E'\uFE0E\uFE0F', ''))
    order by r.emoji = requested desc, r.position limit 1), names[1], requested);
end
$$;
comment on function app.reaction_key is
  'The stored key of a reaction. Reactions that look equal have one key: the name of a custom emoji replaces its alias, and the '
  'key of an existing reaction replaces one that differs only by variation selectors.';

create or replace function public.react(message uuid, emoji text, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_live_message(message);
  target constant public.messages := app.lock_live_message(message);
  key constant text := app.reaction_key(react.emoji, target);
  is_anonymous constant boolean := key like 'poll:%' and target.extras #>> '{poll,anonymous}' = 'true';
  removed text;
begin
  if target.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  elsif react."on" is null then
    raise exception using errcode = 'PT400', message = 'bad_emoji';
  end if;
  perform app.require_reaction_key(key, target);
  if react."on" and key like 'poll:%' and target.extras #>> '{poll,multiple}' = 'false' then
    -- Another choice replaces the first one. Each change is broadcast with a number of its own.
    for removed in
      delete from public.reactions r
      where r.message_id = message and r.profile_id = access.profile_id and r.emoji like 'poll:%' and r.emoji <> key
      returning r.emoji
    loop
      perform app.broadcast_reaction(target, removed, access.profile_id, false, is_anonymous);
    end loop;
  end if;
  if react."on" then
    insert into public.reactions (message_id, emoji, profile_id)
    values (message, key, access.profile_id) on conflict do nothing;
  else
    -- Tasks are shared: whoever unticks one removes the tick, whoever set it.
    delete from public.reactions r
    where r.message_id = message and r.emoji = key and (r.profile_id = access.profile_id or key like 'task:%');
  end if;
  if found then
    if (select count(distinct r.emoji) from public.reactions r
        where r.message_id = message and (r.emoji like 'task:%') = (key like 'task:%') and r.emoji not like 'poll:%')
      > (case when key like 'task:%' then 100 else 50 end)
    then
      raise exception using errcode = 'PT409', message = 'reactions_kinds';
    end if;
    perform app.broadcast_reaction(target, key, access.profile_id, react."on", is_anonymous);
  end if;
  return app.message_response(message, access.profile_id);
end
$$;

-- Statuses ---------------------------------------------------------------------------------------------

update public.profiles p set status_emoji = null
where not app.is_emoji(p.status_emoji);
alter table public.profiles drop constraint profiles_status_emoji_plain,
  add constraint profiles_status_emoji_plain
    check (app.is_emoji(status_emoji));

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
-- A check runs with the rights of the role that writes the row.
grant execute on function app.is_emoji to authenticated, service_role;
