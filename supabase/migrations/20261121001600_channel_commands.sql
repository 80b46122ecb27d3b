-- Caring for channels: what one is for, who sees it, who manages it, and closing it. Rights are asked again under the
-- channel's lock, which all of these take: of two at once, the second sees what the first has done.

alter table public.channels
  add column description text not null default ''
    constraint channels_description_length check (char_length(description) <= 1000);
comment on column public.channels.description is 'What it is for, longer than a topic: read where one decides to join.';

create or replace function app.channel_as_json(channel uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'id', c.id, 'workspace_id', c.workspace_id, 'kind', c.kind, 'name', c.name, 'topic', c.topic,
      'description', c.description, 'posting', c.posting, 'archived_at', c.archived_at, 'first_seq', c.first_seq,
      'created_by', c.created_by, 'created_at', c.created_at,
      'people', case when c.kind in ('direct', 'group') then (
        select jsonb_agg(m.profile_id order by m.profile_id) from public.channel_members m where m.channel_id = c.id
      ) end)
    from public.channels c where c.id = channel
  );
end
$$;

-- Making and changing -------------------------------------------------------------------------------------

drop function app.make_channel(uuid, uuid, text, text, text, uuid);

create function app.make_channel(
  id uuid, workspace uuid, kind text, name text, topic text, by_whom uuid, description text default '',
  posting text default 'everyone'
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  seq bigint;
begin
  insert into public.channels (id, workspace_id, kind, name, topic, description, posting, created_by)
  values (make_channel.id, workspace, make_channel.kind, make_channel.name, make_channel.topic,
    make_channel.description, make_channel.posting, by_whom);
  insert into public.channel_counters (channel_id) values (make_channel.id);
  insert into public.channel_members (channel_id, profile_id, role) values (make_channel.id, by_whom, 'admin');
  seq := app.say(make_channel.id, by_whom, '{"event": "created"}');
  insert into public.channel_state (channel_id, profile_id, last_read_seq) values (make_channel.id, by_whom, seq);
  perform app.move_meta(make_channel.id);
end
$$;
comment on function app.make_channel is 'A named channel with its first admin.';

create function app.require_channel_form(said public.channels) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if said.kind is null or said.kind not in ('public', 'private') then
    raise exception using errcode = 'PT400', message = 'channels_kind_known';
  elsif said.posting is null or said.posting not in ('everyone', 'admins') then
    raise exception using errcode = 'PT400', message = 'channels_posting_known';
  elsif char_length(said.topic) > 250 then
    raise exception using errcode = 'PT400', message = 'channels_topic_length';
  elsif char_length(said.description) > 1000 then
    raise exception using errcode = 'PT400', message = 'channels_description_length';
  end if;
end
$$;
comment on function app.require_channel_form is
  'Fails with the name of the constraint that what is wanted of a channel would break.';

create function app.require_free_name(workspace uuid, wanted text, own uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if exists (
    select from public.channels c
    where c.workspace_id = workspace and c.id <> own
      and lower(normalize(btrim(c.name), nfkc)) = lower(normalize(wanted, nfkc))
  ) then
    raise exception using errcode = 'PT409', message = 'channels_name_unique';
  end if;
end
$$;
comment on function app.require_free_name is 'Fails where another channel of the workspace has this name.';

drop function public.create_channel(uuid, uuid, text, text, text);

create function public.create_channel(
  id uuid, workspace uuid, kind text, name text, topic text default '', description text default '',
  posting text default 'everyone'
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member');
  wanted public.channels;
begin
  if create_channel.id is null then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  wanted.name := app.require_name(create_channel.name, 'channels_name_length');
  wanted.kind := create_channel.kind;
  wanted.topic := btrim(coalesce(create_channel.topic, ''));
  wanted.description := btrim(coalesce(create_channel.description, ''));
  wanted.posting := coalesce(create_channel.posting, 'everyone');
  perform app.require_channel_form(wanted);
  if exists (select from public.channels c where c.id = create_channel.id) then
    -- Asked again it is answered, also where it has been made private, public or another name since.
    if exists (
      select from public.channels c
      where c.id = create_channel.id and c.created_by = me and c.workspace_id = workspace
        and c.kind in ('public', 'private')
    ) and (app.reading_of(create_channel.id)).member then
      return app.entry_as_json(me, create_channel.id);
    end if;
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  perform app.require_free_name(workspace, wanted.name, create_channel.id);
  perform app.make_channel(create_channel.id, workspace, wanted.kind, wanted.name, wanted.topic, me,
    wanted.description, wanted.posting);
  return app.entry_as_json(me, create_channel.id);
end
$$;
comment on function public.create_channel is 'A new channel, named by the client: asked twice, it is made once.';

create function app.become_private(channel uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- First, so that nothing more is said where those who lose sight still listen: not even a new name, or that the
  -- channel became private.
  perform app.raise_epoch(channel);
  perform app.recheck_sockets(w.profile_id)
  from public.channels c
  join public.workspace_members w on w.workspace_id = c.workspace_id and w.role <> 'guest'
  where c.id = channel and not exists (
    select from public.channel_members m where m.channel_id = c.id and m.profile_id = w.profile_id);
  -- In a public channel a full member's floor means nothing: whoever belongs keeps what they could read until now.
  update public.channel_members m set history_from_seq = 1
  where m.channel_id = channel and m.history_from_seq > 1 and exists (
    select from public.channels c
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = m.profile_id
    where c.id = channel and w.role <> 'guest');
  -- Nobody opens a channel that is closed to them, by an invitation written before either.
  delete from public.invitation_channels o
  where o.channel_id = channel and not exists (
    select from public.invitations i
    join public.channel_members m on m.channel_id = o.channel_id and m.profile_id = i.invited_by
    where i.id = o.invitation_id);
end
$$;
comment on function app.become_private is
  'What else happens when a public channel closes: others lose sight at once, those who belong lose nothing. Guests keep '
  'their floors, as in either kind.';

drop function public.update_channel(uuid, text, text, text);

create function public.update_channel(
  channel uuid, name text default null, topic text default null, posting text default null,
  description text default null, kind text default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading app.reading := app.require_participant(channel);
  before public.channels;
  wanted public.channels;
begin
  perform app.lock_channels(array[channel]);
  reading := app.require_participant(channel);
  -- Topic and description are anyone's who belongs and may write here, since both are said in the channel; name, sight
  -- and rules are for those who manage it.
  if reading.kind not in ('public', 'private') or reading.workspace_role = 'guest'
    or (not app.manages(reading) and (reading.posting = 'admins' or update_channel.name is not null
      or update_channel.posting is not null or update_channel.kind is not null))
  then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  select * into before from public.channels c where c.id = channel;
  wanted := before;
  if update_channel.name is not null then wanted.name := app.require_name(update_channel.name, 'channels_name_length'); end if;
  wanted.topic := btrim(coalesce(update_channel.topic, before.topic));
  wanted.description := btrim(coalesce(update_channel.description, before.description));
  wanted.posting := coalesce(update_channel.posting, before.posting);
  wanted.kind := coalesce(update_channel.kind, before.kind);
  perform app.require_channel_form(wanted);
  if wanted.name <> before.name then
    perform app.require_free_name(before.workspace_id, wanted.name, channel);
  end if;
  if wanted is distinct from before then
    if wanted.kind = 'private' and before.kind = 'public' then perform app.become_private(channel); end if;
    update public.channels c
    set name = wanted.name, topic = wanted.topic, description = wanted.description, posting = wanted.posting,
      kind = wanted.kind
    where c.id = channel;
    perform app.say(channel, reading.profile_id, note) from (values
      (wanted.name <> before.name, jsonb_build_object('event', 'renamed', 'name', wanted.name)),
      (wanted.topic <> before.topic, jsonb_build_object('event', 'topic', 'topic', wanted.topic)),
      (wanted.description <> before.description,
        jsonb_build_object('event', 'description', 'description', wanted.description)),
      (wanted.posting <> before.posting, jsonb_build_object('event', 'posting', 'posting', wanted.posting)),
      (wanted.kind <> before.kind, jsonb_build_object('event', 'visibility', 'kind', wanted.kind))
    ) changed (is_so, note) where is_so;
    perform app.move_meta(channel);
  end if;
  return app.entry_as_json(reading.profile_id, channel);
end
$$;
comment on function public.update_channel is
  'Changes what is given of a channel. Public to private, whoever does not belong loses sight with the transaction; the '
  'other way all full members gain it.';

revoke execute on function public.create_channel, public.update_channel from public, anon, authenticated, service_role;
grant execute on function public.create_channel, public.update_channel to authenticated;

revoke execute on all functions in schema app from public;
