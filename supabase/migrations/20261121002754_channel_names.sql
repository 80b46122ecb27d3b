-- The name of a private channel does not occupy it: a refusal told whoever tried a name that such a channel exists.
-- Decision 23 gives the reasons.

drop index public.channels_name_unique;
create unique index channels_name_unique
  on public.channels (workspace_id, lower(normalize(btrim(name), nfkc))) where kind = 'public';

create or replace function app.require_free_name(workspace uuid, wanted text, own uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if exists (
    select from public.channels c
    where c.workspace_id = workspace and c.id <> own and c.kind = 'public'
      and lower(normalize(btrim(c.name), nfkc)) = lower(normalize(wanted, nfkc))
  ) or exists (
    select from app.my_reach() r join public.channels c on c.id = r.channel_id
    where c.workspace_id = workspace and c.id <> own and c.kind = 'private'
      and lower(normalize(btrim(c.name), nfkc)) = lower(normalize(wanted, nfkc))
  ) then
    raise exception using errcode = 'PT409', message = 'channels_name_unique';
  end if;
end
$$;
comment on function app.require_free_name is
  'Fails where another channel that the caller reads has this name. They are full members, who read every public channel.';

create or replace function public.update_channel(
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
  -- Any member who may post changes topic and description, which the channel's messages announce; name, visibility and
  -- rules are for those who manage it.
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
  if wanted.name <> before.name or (wanted.kind = 'public' and before.kind <> 'public') then
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
