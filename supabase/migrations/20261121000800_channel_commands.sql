-- Commands that make channels, change them, and move people in and out.

create function public.create_channel(id uuid, workspace uuid, kind text, name text, topic text default '')
returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member');
  wanted constant text := app.require_name(create_channel.name, 'channels_name_length');
begin
  if create_channel.id is null or create_channel.kind is null or create_channel.kind not in ('public', 'private') then
    raise exception using errcode = 'PT400', message = 'channels_kind_known';
  elsif char_length(btrim(create_channel.topic)) > 250 then
    raise exception using errcode = 'PT400', message = 'channels_topic_length';
  end if;
  if exists (select from public.channels c where c.id = create_channel.id) then
    if exists (
      select from public.channels c
      where c.id = create_channel.id and c.created_by = me and c.workspace_id = workspace
        and c.kind = create_channel.kind
    ) and (app.reading_of(create_channel.id)).member then
      return app.entry_as_json(me, create_channel.id);
    end if;
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  if exists (
    select from public.channels c
    where c.workspace_id = workspace
      and lower(normalize(btrim(c.name), nfkc)) = lower(normalize(wanted, nfkc))
  ) then
    raise exception using errcode = 'PT409', message = 'channels_name_unique';
  end if;
  perform app.make_channel(create_channel.id, workspace, create_channel.kind, wanted,
    btrim(coalesce(create_channel.topic, '')), me);
  return app.entry_as_json(me, create_channel.id);
end
$$;
comment on function public.create_channel is 'A new channel, named by the client: asked twice, it is made once.';

create function public.update_channel(
  channel uuid, name text default null, topic text default null, posting text default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_participant(channel);
  before public.channels;
  wanted public.channels;
begin
  -- The topic is anyone's who belongs; name and rules are for those who manage the channel.
  if reading.kind not in ('public', 'private') or reading.workspace_role = 'guest'
    or (not app.manages(reading) and (update_channel.name is not null or update_channel.posting is not null))
  then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  perform app.lock_channels(array[channel]);
  select * into before from public.channels c where c.id = channel;
  wanted := before;
  if update_channel.name is not null then wanted.name := app.require_name(update_channel.name, 'channels_name_length'); end if;
  wanted.topic := btrim(coalesce(update_channel.topic, before.topic));
  wanted.posting := coalesce(update_channel.posting, before.posting);
  if char_length(wanted.topic) > 250 then
    raise exception using errcode = 'PT400', message = 'channels_topic_length';
  elsif wanted.posting not in ('everyone', 'admins') then
    raise exception using errcode = 'PT400', message = 'channels_posting_known';
  end if;
  if wanted.name <> before.name and exists (
    select from public.channels c
    where c.workspace_id = before.workspace_id and c.id <> channel
      and lower(normalize(btrim(c.name), nfkc)) = lower(normalize(wanted.name, nfkc))
  ) then
    raise exception using errcode = 'PT409', message = 'channels_name_unique';
  end if;
  if wanted is distinct from before then
    update public.channels c set name = wanted.name, topic = wanted.topic, posting = wanted.posting
    where c.id = channel;
    if wanted.name <> before.name then
      perform app.say(channel, reading.profile_id, jsonb_build_object('event', 'renamed', 'name', wanted.name));
    end if;
    if wanted.topic <> before.topic then
      perform app.say(channel, reading.profile_id, jsonb_build_object('event', 'topic', 'topic', wanted.topic));
    end if;
    perform app.move_meta(channel);
  end if;
  return app.entry_as_json(reading.profile_id, channel);
end
$$;
comment on function public.update_channel is 'Changes what is given of name, topic and who may post.';

create function public.open_direct(workspace uuid, people uuid[]) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  everyone constant uuid[] := array(select distinct p from unnest(people || me) p where p is not null order by p);
  key text := array_to_string(everyone, ':');
  made uuid;
begin
  if cardinality(everyone) > 12 then
    raise exception using errcode = 'PT400', message = 'direct_too_many';
  end if;
  if cardinality(everyone) > 2 then key := app.hash_token(key); end if;
  select c.id into made from public.channels c where c.workspace_id = workspace and c.direct_key = key;
  if made is null then
    -- Someone one may not know, or who is gone, is not there to be talked to.
    if exists (
      select from unnest(everyone) p (id)
      where p.id not in (select app.my_people_ids()) or not exists (
        select from public.workspace_members w
        where w.workspace_id = workspace and w.profile_id = p.id
          and w.state = 'active' and (w.expires_at is null or w.expires_at > now()))
    ) then
      raise exception using errcode = 'PT404', message = 'not_found';
    end if;
    insert into public.channels (id, workspace_id, kind, direct_key, created_by)
    values (gen_random_uuid(), workspace, case when cardinality(everyone) > 2 then 'group' else 'direct' end, key, me)
    on conflict (workspace_id, direct_key) do nothing returning id into made;
    if made is null then
      -- Opened by the other one a moment ago.
      select c.id into made from public.channels c where c.workspace_id = workspace and c.direct_key = key;
    else
      insert into public.channel_counters (channel_id) values (made);
      -- Hidden from the others until something is said.
      insert into public.channel_state (channel_id, profile_id, notify, hidden)
      select made, p, 'all', p <> me from unnest(everyone) p;
      insert into public.channel_members (channel_id, profile_id) select made, p from unnest(everyone) p;
    end if;
  end if;
  update public.channel_state s set hidden = false
  where s.channel_id = made and s.profile_id = me and s.hidden;
  return app.entry_as_json(me, made);
end
$$;
comment on function public.open_direct is
  'The one conversation of these people and the caller, shown again if it was hidden. Alone it is a notebook.';

create function public.browse_channels(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
begin
  return jsonb_build_object('channels', coalesce((
    select jsonb_agg(
      jsonb_build_object('channel', app.channel_as_json(c.id),
        'members', (select count(*) from public.channel_members m where m.channel_id = c.id),
        'member', exists (
          select from public.channel_members m where m.channel_id = c.id and m.profile_id = me))
      order by lower(c.name))
    from public.channels c join app.my_reach() r on r.channel_id = c.id
    where c.workspace_id = workspace and c.kind in ('public', 'private')
  ), '[]'));
end
$$;
comment on function public.browse_channels is 'The channels that the caller may read; for a guest only their own.';

create function public.channel_people(channel uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  reading constant app.reading := app.require_reader(channel);
begin
  return jsonb_build_object('people', coalesce((
    select jsonb_agg(jsonb_build_object('profile_id', m.profile_id, 'role', m.role) order by m.created_at, m.profile_id)
    from public.channel_members m
    join public.workspace_members w on w.workspace_id = reading.workspace_id and w.profile_id = m.profile_id
    where m.channel_id = channel and (m.expires_at is null or m.expires_at > now())
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
  ), '[]'));
end
$$;
comment on function public.channel_people is 'Who belongs to a channel now.';

create function public.join_channel(channel uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  reading constant app.reading := app.require_reader(channel);
begin
  if reading.archived_at is not null then
    raise exception using errcode = 'PT409', message = 'archived';
  end if;
  -- Whoever reads a channel without belonging is a full member before a public one.
  perform app.enter_channel(channel, reading.profile_id, reading.profile_id, 'member');
  return app.entry_as_json(reading.profile_id, channel);
end
$$;
comment on function public.join_channel is 'Enters a public channel; nothing happens to those who are in.';

create function public.leave_channel(channel uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  reading constant app.reading := app.require_reader(channel);
begin
  if reading.kind in ('direct', 'group') then
    update public.channel_state s set hidden = true
    where s.channel_id = channel and s.profile_id = reading.profile_id and not s.hidden;
  elsif reading.member then
    perform app.lock_channels(array[channel]);
    delete from public.channel_members m where m.channel_id = channel and m.profile_id = reading.profile_id;
    delete from public.channel_state s where s.channel_id = channel and s.profile_id = reading.profile_id;
    perform app.say(channel, reading.profile_id, '{"event": "left"}');
    perform app.move_meta(channel);
  end if;
  return jsonb_build_object('channel_id', channel);
end
$$;
comment on function public.leave_channel is
  'Leaves a channel; a direct or group conversation, whose people are fixed, is hidden instead until something is said.';

create function public.add_members(channel uuid, people uuid[]) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  reading constant app.reading := app.require_participant(channel);
  person uuid;
  added uuid[] := '{}';
begin
  if reading.kind not in ('public', 'private') or reading.workspace_role = 'guest' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if cardinality(people) > 1000 then
    raise exception using errcode = 'PT400', message = 'too_many_people';
  end if;
  if exists (
    select from unnest(people) p (id) where not exists (
      select from public.workspace_members w
      where w.workspace_id = reading.workspace_id and w.profile_id = p.id
        and w.state = 'active' and (w.expires_at is null or w.expires_at > now()))
  ) then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  for person in select distinct p from unnest(people) p order by p loop
    if app.enter_channel(channel, person, reading.profile_id, 'member') then added := added || person; end if;
  end loop;
  return jsonb_build_object('channel_id', channel, 'people', to_jsonb(added));
end
$$;
comment on function public.add_members is 'Brings people of the workspace into a channel; answers whom it added.';

create function public.remove_member(channel uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  reading constant app.reading := app.require_reader(channel);
begin
  if not app.manages(reading) or person = reading.profile_id then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  perform app.lock_channels(array[channel]);
  delete from public.channel_members m where m.channel_id = channel and m.profile_id = person;
  if not found then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  delete from public.channel_state s where s.channel_id = channel and s.profile_id = person;
  insert into public.channel_removals (channel_id, profile_id) values (channel, person)
  on conflict (channel_id, profile_id) do update set removed_at = excluded.removed_at
  where channel_removals.profile_id = excluded.profile_id;
  perform app.say(channel, reading.profile_id, jsonb_build_object('event', 'removed', 'profile_id', person));
  perform app.move_meta(channel);
  return jsonb_build_object('channel_id', channel, 'person', person);
end
$$;
comment on function public.remove_member is
  'Puts someone out of a channel: they lose sight with the transaction, and the channel moves to a new topic.';

revoke execute on function public.create_channel, public.update_channel, public.open_direct,
  public.browse_channels, public.channel_people, public.join_channel, public.leave_channel, public.add_members,
  public.remove_member from public, anon, authenticated, service_role;
grant execute on function public.create_channel, public.update_channel, public.open_direct,
  public.browse_channels, public.channel_people, public.join_channel, public.leave_channel, public.add_members,
  public.remove_member to authenticated;

revoke execute on all functions in schema app from public;
