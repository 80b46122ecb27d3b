-- Incoming webhooks: secret addresses by which other services post into one channel, as a bot.
--
-- The function `incoming-webhook` accepts the payloads, and calls post_by_webhook. A webhook can only post, and only into
-- its channel, as long as its bot is a member there.

-- Table ------------------------------------------------------------------------------------------------

create table public.incoming_webhooks (
  id uuid primary key default gen_random_uuid(),
  bot_id uuid not null references public.bots (profile_id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  token_hash text not null constraint incoming_webhooks_token_once unique,
  created_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  used_at timestamptz,
  name text constraint incoming_webhooks_name_length check (char_length(name) between 1 and 80)
    constraint incoming_webhooks_name_legible check (app.is_legible(name)),
  emoji text constraint incoming_webhooks_emoji_known check (app.is_emoji(emoji)),
  notifies_everyone boolean not null default false
);
create index incoming_webhooks_bot on public.incoming_webhooks (bot_id);
create index incoming_webhooks_channel on public.incoming_webhooks (channel_id);
create index incoming_webhooks_created_by on public.incoming_webhooks (created_by);
comment on table public.incoming_webhooks is
  'Secret addresses for posting into one channel. Only the hash of a secret is stored. Read by list_webhooks only. No '
  'access for clients.';
comment on column public.incoming_webhooks.used_at is 'When it last posted, to the minute.';
comment on column public.incoming_webhooks.name is
  'The author of its messages, unless a request contains another name. Null: its bot.';
comment on column public.incoming_webhooks.emoji is
  'The picture of its messages, unless a request contains another emoji. Null: the picture of its bot.';
comment on column public.incoming_webhooks.notifies_everyone is
  'Whether @channel and @here in its messages notify people, as far as mention_everyone_by allows the person who created it.';
alter table public.incoming_webhooks enable row level security;
revoke all on public.incoming_webhooks from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.incoming_webhooks to service_role;

create function app.end_webhooks_with_bot() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.incoming_webhooks h where h.bot_id = new.profile_id;
  delete from public.outgoing_webhooks h where h.bot_id = new.profile_id;
  delete from public.bot_commands k where k.bot_id = new.profile_id;
  delete from vault.secrets s where s.name = 'bot commands ' || new.profile_id;
  return null;
end
$$;
comment on function app.end_webhooks_with_bot is
  'Deletes the webhooks and commands of a bot whose membership has ended, with the secret of its commands.';
create trigger end_webhooks_with_bot after update of state on public.workspace_members
  for each row when (old.state = 'active' and new.state = 'deactivated')
  execute function app.end_webhooks_with_bot();

-- Posting ----------------------------------------------------------------------------------------------

create function app.find_incoming_webhook(token text) returns public.incoming_webhooks
language plpgsql stable security definer set search_path = ''
as $$
declare
  webhook public.incoming_webhooks;
begin
  select h.* into webhook from public.incoming_webhooks h where h.token_hash = app.hash_token(token);
  if webhook.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return webhook;
end
$$;
comment on function app.find_incoming_webhook is 'The webhook with this secret; fails with not_found.';

create function app.notifies_everyone(webhook public.incoming_webhooks) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return webhook.notifies_everyone
    and app.may_mention_everyone(coalesce(webhook.created_by, webhook.bot_id), webhook.channel_id);
end
$$;
comment on function app.notifies_everyone is
  'Whether @channel and @here in messages of a webhook notify people. The rule of the workspace applies to the person who created '
  'the webhook, because a bot is a guest. It applies to the bot once that person has been erased.';

create function public.read_webhook(token text, body text default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  webhook constant public.incoming_webhooks := app.find_incoming_webhook(token);
  -- What follows each "@", 100 at most.
  fragments constant text[] := array(
    select left(f, 80) from unnest((string_to_array(lower(body), '@'))[2:101]) f);
  people jsonb := '[]';
begin
  -- Here, because it precedes each request that changes something, and reads the names of all readers.
  perform app.consume_rate_limit_of(webhook.id, 'webhook', 1);
  if cardinality(fragments) > 0 then
    -- Nobody is chosen among people who share a name.
    select coalesce(jsonb_agg(jsonb_build_object('id', n.id, 'name', n.name)), '[]') into people
    from (
      select min(p.id::text) id, min(p.name) name
      from app.channel_readers(webhook.channel_id) r
      join public.profiles p on p.id = r.profile_id and p.kind = 'person' and not p.is_erased
      where exists (select from unnest(fragments) f where starts_with(f, lower(p.name)))
      group by app.name_key(p.name) having count(*) = 1
      order by 2 limit 50) n;
  end if;
  return jsonb_build_object('name', webhook.name, 'emoji', webhook.emoji,
    'notifies_everyone', app.notifies_everyone(webhook), 'people', people);
end
$$;
comment on function public.read_webhook is
  'For service_role: how to display the messages of the webhook with this secret, and whom they can mention: up to 50 readers of its '
  'channel whose whole name follows an "@" in the body. Counts the request towards the rate limit of the webhook. Fails with not_found '
  'and rate_limited.';

create function app.accept_webhook_request(webhook public.incoming_webhooks, body text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if app.mention_marks(body) && array['<!channel>', '<!here>'] and not app.notifies_everyone(webhook) then
    raise exception using errcode = 'PT403', message = 'mention_everyone_not_allowed';
  end if;
  update public.incoming_webhooks h set used_at = now()
  -- Without waiting for another message of this webhook, which stores the same.
  where h.id = (
    select o.id from public.incoming_webhooks o
    where o.id = webhook.id and (o.used_at is null or o.used_at < now() - interval '1 minute')
    for no key update skip locked);
end
$$;
comment on function app.accept_webhook_request is
  'Stores when a webhook last posted. Fails with mention_everyone_not_allowed if the body would notify everyone but the webhook may '
  'not. read_webhook has counted the request towards the rate limit.';

create function app.find_message_of_webhook(webhook public.incoming_webhooks, message uuid) returns public.messages
language plpgsql stable security definer set search_path = ''
as $$
declare
  posted public.messages;
begin
  select m.* into posted
  from public.messages m
  cross join lateral app.channel_access_of_person(webhook.bot_id, m.channel_id) a
  where m.id = message and m.channel_id = webhook.channel_id and m.extras ->> 'webhook' = webhook.id::text
    and m.deleted_at is null and m.history_seq >= a.history_from_seq;
  if posted.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return posted;
end
$$;
comment on function app.find_message_of_webhook is
  'A message that the webhook has posted and that is still in its channel. Fails with not_found for any other.';

create function app.replace_message_of_webhook(
  webhook public.incoming_webhooks, message uuid, body text, extras jsonb
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- Before any lock, as in send_message.
  search_words constant tsvector := app.index_text(app.accept_message_body(body, false));
  before public.messages := app.find_message_of_webhook(webhook, message);
  changed jsonb;
begin
  perform app.consume_characters_of(webhook.bot_id, 'characters', body);
  perform app.start_tasks_of_text(webhook.channel_id, body, former_body => before.body);
  before := app.lock_message(message);
  changed := before.extras - '{cards,sender,icon}'::text[] || coalesce(extras, '{}');
  if body = before.body and changed = before.extras then return; end if;
  perform app.replace_text(before, body, search_words, changed);
  -- The channel is locked now.
  perform app.require_writer(webhook.bot_id, webhook.channel_id);
  perform app.find_message_of_webhook(webhook, message);
end
$$;
comment on function app.replace_message_of_webhook is
  'Replaces the text and the extras of a message that the webhook has posted. Fails with not_found, '
  'rate_limited, and as require_writer.';

create function public.post_by_webhook(
  token text, body text, extras jsonb default null, thread uuid default null, event text default null,
  is_end boolean default false
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  webhook constant public.incoming_webhooks := app.find_incoming_webhook(token);
  checked jsonb;
  root public.messages;
  ended uuid;
begin
  perform app.require_extras_shape(extras);
  checked := app.webhook_extras(extras);
  perform app.accept_webhook_request(webhook, body);
  if thread is not null then
    root := app.find_message_of_webhook(webhook, thread);
  elsif event is not null and is_end then
    select m.id into ended
    from public.messages m
    join public.channel_counters k on k.channel_id = m.channel_id
    where m.channel_id = webhook.channel_id and m.seq > k.last_seq - 200 and m.deleted_at is null
      and m.extras ->> 'webhook' = webhook.id::text and m.extras ->> 'event' = md5(event)
    order by m.seq desc limit 1;
    if ended is not null then
      perform app.replace_message_of_webhook(webhook, ended, body, checked);
      return jsonb_build_object('message_id', ended);
    end if;
  end if;
  return jsonb_build_object('message_id', app.post_as_bot(
    webhook.bot_id, webhook.channel_id, body, coalesce(root.thread_root, root.id),
    coalesce(checked, '{}') || jsonb_strip_nulls(jsonb_build_object('webhook', webhook.id, 'event', md5(event)))));
end
$$;
comment on function public.post_by_webhook is
  'For service_role: posts into the channel of the webhook with this secret, as its bot. `extras`: as webhook_extras checks them. '
  '`thread`: a message of the webhook, in whose thread it replies. `event`: what the message is about; the end of an event replaces '
  'the last message about it, if that is one of the last 200 of the channel. Fails with bad_extra, '
  'not_found, mention_everyone_not_allowed, and as post_as_bot.';

create function public.replace_by_webhook(token text, message uuid, body text, extras jsonb default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  webhook constant public.incoming_webhooks := app.find_incoming_webhook(token);
begin
  perform app.require_extras_shape(extras);
  perform app.accept_webhook_request(webhook, body);
  perform app.replace_message_of_webhook(webhook, message, body, app.webhook_extras(extras));
  return jsonb_build_object('message_id', message);
end
$$;
comment on function public.replace_by_webhook is
  'For service_role: replaces the text and the extras of a message of the webhook with this secret. Fails with bad_extra, not_found, '
  'mention_everyone_not_allowed, and as replace_message_of_webhook.';

-- Managing ---------------------------------------------------------------------------------------------

create function app.incoming_webhook_as_json(webhook public.incoming_webhooks) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('id', webhook.id, 'channel_id', webhook.channel_id, 'created_by', webhook.created_by,
    'created_at', webhook.created_at, 'used_at', webhook.used_at,
    'name', webhook.name, 'emoji', webhook.emoji, 'notifies_everyone', webhook.notifies_everyone,
    'is_unmanaged', (
      select app.is_unmanaged_integration(b.workspace_id, webhook.created_by) from public.bots b where b.profile_id = webhook.bot_id))
$$;
comment on function app.incoming_webhook_as_json is 'A webhook without its secret.';

create function app.require_channel_of_bot(bot public.bots, channel uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.require_readable_channels(bot.workspace_id, array[channel]);
  if not exists (
    select from public.channel_members m where m.channel_id = channel and m.profile_id = bot.profile_id
  ) then
    raise exception using errcode = 'PT409', message = 'bot_not_in_channel';
  end if;
end
$$;
comment on function app.require_channel_of_bot is
  'Fails with not_found unless the caller may read the channel, and with bot_not_in_channel unless the bot is in it.';

create function public.create_incoming_webhook(bot uuid, channel uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  owner constant public.bots := app.require_bot(bot);
  me constant uuid := app.my_profile_id();
  token constant text := app.random_token();
  webhook public.incoming_webhooks;
begin
  perform app.require_channel_of_bot(owner, channel);
  if 20 <= (select count(*) from public.incoming_webhooks h where h.bot_id = owner.profile_id) then
    raise exception using errcode = 'PT409', message = 'too_many_webhooks';
  end if;
  insert into public.incoming_webhooks (bot_id, channel_id, token_hash, created_by)
  values (owner.profile_id, channel, app.hash_token(token), me) returning * into webhook;
  return jsonb_build_object('webhook', app.incoming_webhook_as_json(webhook), 'token', token);
end
$$;
comment on function public.create_incoming_webhook is
  'Creates a webhook of a bot for one of its channels, 20 at most for each bot. Only the response contains the secret of '
  'its address.';

create function app.require_incoming_webhook(webhook uuid) returns public.incoming_webhooks
language plpgsql volatile security definer set search_path = ''
as $$
declare
  found_webhook public.incoming_webhooks;
begin
  select h.* into found_webhook from public.incoming_webhooks h where h.id = webhook;
  -- Without such a webhook its bot is null, which is not found either.
  perform app.require_bot(found_webhook.bot_id);
  return found_webhook;
end
$$;
comment on function app.require_incoming_webhook is
  'A webhook, if the caller manages its workspace; fails as app.require_bot.';

create function public.renew_incoming_webhook(webhook uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  renewed public.incoming_webhooks := app.require_incoming_webhook(webhook);
  token constant text := app.random_token();
begin
  perform app.require_readable_channels(b.workspace_id, array[renewed.channel_id])
  from public.bots b where b.profile_id = renewed.bot_id;
  update public.incoming_webhooks h set token_hash = app.hash_token(token), created_by = app.my_profile_id()
  where h.id = webhook returning * into renewed;
  return jsonb_build_object('webhook', app.incoming_webhook_as_json(renewed), 'token', token);
end
$$;
comment on function public.renew_incoming_webhook is
  'Gives a webhook a new secret; its former address stops working. For those who may read its channel.';

create function public.update_incoming_webhook(webhook uuid, name text, emoji text, notifies_everyone boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  changed public.incoming_webhooks := app.require_incoming_webhook(webhook);
  new_name constant text := nullif(btrim(update_incoming_webhook.name), '');
begin
  perform app.require_readable_channels(b.workspace_id, array[changed.channel_id])
  from public.bots b where b.profile_id = changed.bot_id;
  if update_incoming_webhook.emoji is not null and not app.is_emoji(update_incoming_webhook.emoji) then
    raise exception using errcode = 'PT400', message = 'bad_emoji';
  end if;
  update public.incoming_webhooks h
  set name = case when new_name is not null then app.require_name(new_name, 'incoming_webhooks_name_length') end,
    emoji = update_incoming_webhook.emoji,
    notifies_everyone = coalesce(update_incoming_webhook.notifies_everyone, h.notifies_everyone)
  where h.id = webhook returning * into changed;
  return app.incoming_webhook_as_json(changed);
end
$$;
comment on function public.update_incoming_webhook is
  'Sets the name and the emoji with which a webhook posts, null for those of its bot, and whether it may notify everyone. For those '
  'who may read its channel. Fails with bad_emoji and incoming_webhooks_name_length.';

create function public.delete_incoming_webhook(webhook uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  ended constant public.incoming_webhooks := app.require_incoming_webhook(webhook);
begin
  delete from public.incoming_webhooks h where h.id = ended.id;
  return jsonb_build_object('id', ended.id);
end
$$;
comment on function public.delete_incoming_webhook is 'Deletes a webhook: its address stops working.';

create function public.list_webhooks(bot uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  owner constant public.bots := app.require_bot(bot);
begin
  return jsonb_build_object(
    'incoming', coalesce((
      select jsonb_agg(app.incoming_webhook_as_json(h) order by h.created_at, h.id)
      from public.incoming_webhooks h
      where h.bot_id = owner.profile_id
        and h.channel_id in (select r.channel_id from app.my_readable_channels() r)), '[]'),
    'outgoing', coalesce((
      select jsonb_agg(app.outgoing_webhook_as_json(h) order by h.created_at, h.id)
      from public.outgoing_webhooks h
      where h.bot_id = owner.profile_id
        and h.channel_id in (select r.channel_id from app.my_readable_channels() r)), '[]'));
end
$$;
comment on function public.list_webhooks is
  'The webhooks of a bot in channels that the caller may read, without their secrets.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.read_webhook, public.post_by_webhook, public.replace_by_webhook,
  public.create_incoming_webhook, public.renew_incoming_webhook, public.update_incoming_webhook, public.delete_incoming_webhook,
  public.list_webhooks
  from public, anon, authenticated, service_role;
grant execute on function public.read_webhook, public.post_by_webhook, public.replace_by_webhook to service_role;
grant execute on function public.create_incoming_webhook, public.renew_incoming_webhook, public.update_incoming_webhook,
  public.delete_incoming_webhook, public.list_webhooks to authenticated;
