-- Outgoing webhooks: the messages of a channel, sent to another service.
--
-- A message in the channel of a webhook adds a job in the transaction of the message, and its first attempt: pg_net sends
-- the request once the transaction has committed. Every minute pg_cron finishes attempts and starts due ones. Requests are
-- signed as the specification "Standard Webhooks" requires; the id of the job is the id of the delivery in each attempt.

-- Webhooks ---------------------------------------------------------------------------------------------

create table public.outgoing_webhooks (
  id uuid primary key default gen_random_uuid(),
  bot_id uuid not null references public.bots (profile_id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  url text not null constraint outgoing_webhooks_url_length check (char_length(url) <= 2000),
  words text[] not null default '{}' constraint outgoing_webhooks_words_count check (cardinality(words) <= 10),
  created_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  failures smallint not null default 0,
  disabled_at timestamptz,
  problem text
);
create index outgoing_webhooks_bot on public.outgoing_webhooks (bot_id);
create index outgoing_webhooks_channel on public.outgoing_webhooks (channel_id);
create index outgoing_webhooks_created_by on public.outgoing_webhooks (created_by);
comment on table public.outgoing_webhooks is
  'Addresses of other services to which messages of a channel are sent. Their secrets are in Vault. Read by '
  'list_webhooks only. No access for clients.';
comment on column public.outgoing_webhooks.words is
  'Only messages whose first word is one of these, in lower case; all messages if there are none.';
comment on column public.outgoing_webhooks.failures is 'Deliveries that failed for good since the last success.';
alter table public.outgoing_webhooks enable row level security;
revoke all on public.outgoing_webhooks from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.outgoing_webhooks to service_role;

-- Names of these domains are never public; containers reach the machine they run on by some.
insert into public.settings (key, value) values
  ('outgoing_webhook_urls', '"^https://(?![^/?:]*\\.(internal|local|localhost|arpa)([:/?]|$))([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}(:[0-9]{1,5})?([/?]|$)"');

create function app.remove_webhook_secret() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from vault.secrets s where s.name = 'outgoing webhook ' || old.id;
  delete from public.jobs j where j.kind = 'webhook' and j.owner_id = old.id;
  return null;
end
$$;
comment on function app.remove_webhook_secret is 'Deletes the secret and the deliveries of a webhook with it.';
create trigger remove_webhook_secret after delete on public.outgoing_webhooks
  for each row execute function app.remove_webhook_secret();

-- Sending ----------------------------------------------------------------------------------------------

create function app.random_signing_secret() returns text
language sql volatile set search_path = ''
as $$
  select 'whsec_' || encode(
    decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), 'base64')
$$;
comment on function app.random_signing_secret is 'A new secret for signatures, in the form of Standard Webhooks.';

create function app.signature_headers(delivery uuid, secret text, body text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  sent_at constant text := floor(extract(epoch from clock_timestamp()))::bigint;
begin
  return jsonb_build_object('webhook-id', delivery, 'webhook-timestamp', sent_at,
    'webhook-signature', 'v1,' || encode(extensions.hmac(
      convert_to(delivery || '.' || sent_at || '.' || body, 'UTF8'),
      decode(substr(secret, 7), 'base64'), 'sha256'), 'base64'),
    'x-slack-request-timestamp', sent_at,
    'x-slack-signature', 'v0=' || encode(extensions.hmac(
      convert_to('v0:' || sent_at || ':' || body, 'UTF8'), convert_to(secret, 'UTF8'), 'sha256'), 'hex'));
end
$$;
comment on function app.signature_headers is
  'The headers that sign a request: by the specification "Standard Webhooks", and as Slack does, with the whole secret '
  '`whsec_…` as key.';

create function app.is_outgoing_url(url text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return char_length(url) <= 2000 and url !~ '[[:space:][:cntrl:]]'
    and url ~* (select s.value #>> '{}' from public.settings s where s.key = 'outgoing_webhook_urls');
end
$$;
comment on function app.is_outgoing_url is
  'Whether people may enter this address for requests of the server, by the setting outgoing_webhook_urls.';

create function app.webhook_body(webhook public.outgoing_webhooks, message uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('type', 'message.created', 'timestamp', m.created_at, 'data', jsonb_build_object(
      'message', app.messages_as_json(array[m.id], null) -> 0,
      'channel', jsonb_build_object('id', c.id, 'name', c.name),
      'author', jsonb_build_object('id', p.id, 'name', p.name)))
    from public.messages m
    join public.channels c on c.id = m.channel_id
    join public.profiles p on p.id = m.author_id
    cross join lateral app.channel_access_of_person(webhook.bot_id, m.channel_id) a
    where m.id = message and m.channel_id = webhook.channel_id and m.deleted_at is null
      and a.member and a.history_from_seq <= m.history_seq
  );
end
$$;
comment on function app.webhook_body is
  'What a webhook receives about a message as it is now; null if it was deleted, or its bot may not read it.';

create function app.has_trigger_word(first_word text, words text, trigger_words text[]) returns boolean
language sql immutable set search_path = ''
as $$
  select exists (
    select from unnest(trigger_words) t
    where app.fold_text(t) = first_word
      -- A trigger word with signs, such as `!deploy`, is compared with its signs.
      or (btrim(app.fold_phrase(t)) = app.text_to_split(t)
        and starts_with(words, ' ' || ltrim(app.phrase_to_find(t), ' '))))
$$;
comment on function app.has_trigger_word is
  'Whether a text begins with one of these words. `first_word`: the text before the first space, as fold_text returns it. '
  '`words`: the text as fold_phrase returns it.';

create function app.send_webhook_delivery(job public.jobs) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  webhook public.outgoing_webhooks;
  body jsonb;
  secret text;
begin
  select h.* into webhook from public.outgoing_webhooks h where h.id = job.owner_id and h.disabled_at is null;
  body := app.webhook_body(webhook, (job.payload ->> 'message_id')::uuid);
  if body is null then
    perform app.finish_job(job.id);
    return;
  end if;
  secret := app.read_secret('outgoing webhook ' || webhook.id);
  if secret is null then
    perform app.finish_job(job.id, 'The secret cannot be read. Create a new secret.');
    return;
  end if;
  update public.jobs j
  set request_id = net.http_post(
    url := webhook.url,
    body := body,
    headers := '{"content-type": "application/json"}'::jsonb || app.signature_headers(job.id, secret, body::text),
    timeout_milliseconds := 15000)
  where j.id = job.id;
end
$$;
comment on function app.send_webhook_delivery is
  'Starts an attempt to deliver a claimed job, signed with the webhook''s secret. A delivery of a message that no longer '
  'exists is dropped.';

create function app.queue_webhook_deliveries(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  webhook public.outgoing_webhooks;
  beginning constant text := left(ltrim(message.body, E' \t\r\n'), 300);
  first_word text;
  folded text;
begin
  first_word := app.fold_text(substring(beginning from '^\S{1,100}'));
  -- A mention is no word, and the word after it is not the first one.
  folded := case when beginning like '<%' then '' else app.fold_phrase(beginning) end;
  for webhook in
    select h.* from public.outgoing_webhooks h
    where h.channel_id = message.channel_id and h.disabled_at is null
      and (cardinality(h.words) = 0 or app.has_trigger_word(first_word, folded, h.words))
  loop
    if 1000 <= (select count(*) from (
      select from public.jobs j where j.owner_id = webhook.id and j.failed_at is null limit 1000) waiting)
    then
      update public.outgoing_webhooks h set disabled_at = now(), problem = 'Too many deliveries were waiting.'
      where h.id = webhook.id;
      continue;
    end if;
    perform app.add_job('webhook', webhook.id, jsonb_build_object('message_id', message.id));
  end loop;
end
$$;
comment on function app.queue_webhook_deliveries is
  'Adds a delivery of a new message for each webhook of its channel. Not for messages of bots: two bots could answer each other '
  'forever.';

create function app.finish_webhook_delivery(job public.jobs, problem text, is_gone boolean) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  has_failed constant boolean := app.finish_job(job.id, problem);
begin
  if problem is null then
    update public.outgoing_webhooks h set delivered_at = now(), failures = 0, problem = null where h.id = job.owner_id;
  elsif has_failed or is_gone then
    update public.outgoing_webhooks h
    set failures = h.failures + 1, problem = left(finish_webhook_delivery.problem, 300),
      disabled_at = case when is_gone or h.failures + 1 >= 5 then now() else h.disabled_at end
    where h.id = job.owner_id;
  end if;
end
$$;
comment on function app.finish_webhook_delivery is
  'Records the result of an attempt. A webhook is disabled when five deliveries in a row have failed for good, or its '
  'address responds with 410 Gone.';

create function app.run_webhook_deliveries() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  max_attempts constant integer := 200;
  job public.jobs;
  response record;
  candidates uuid[];
begin
  for job in
    select j.* from public.jobs j
    where j.kind = 'webhook' and j.request_id is not null order by j.run_at limit 1000 for update skip locked
  loop
    select r.status_code, r.error_msg, r.timed_out into response from net._http_response r where r.id = job.request_id;
    if found then
      perform app.finish_webhook_delivery(job, case
        when response.status_code between 200 and 299 then null
        when response.status_code is not null then 'The server responded with status ' || response.status_code || '.'
        when response.timed_out then 'The server did not respond in time.'
        else coalesce(response.error_msg, 'The request failed.') end, response.status_code is not distinct from 410);
    elsif job.run_at <= now() then
      perform app.finish_webhook_delivery(job, 'The server did not respond in time.', false);
    end if;
  end loop;
  -- Webhooks in turn: the oldest delivery of each, then the second.
  candidates := array(
    select j.id from public.jobs j
    where j.kind = 'webhook' and j.failed_at is null and j.run_at <= now()
    order by row_number() over (partition by j.owner_id order by j.run_at, j.id), j.run_at limit max_attempts);
  for job in select c.* from app.claim_jobs('webhook', max_attempts, candidates := candidates) c loop
    begin
      perform app.send_webhook_delivery(job);
    exception when others then
      -- Others must not wait for it.
      perform app.finish_webhook_delivery(job, 'The request failed: ' || sqlerrm, false);
    end;
  end loop;
end
$$;
comment on function app.run_webhook_deliveries is
  'Finishes attempts whose response has arrived, and starts due ones, of all webhooks in turn. Every minute.';

create function public.deliver_webhooks() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.run_webhook_deliveries();
  return '{}';
end
$$;
comment on function public.deliver_webhooks is
  'For service_role: starts the deliveries of webhooks that are due, as the job of pg_cron does every minute.';

-- Managing ---------------------------------------------------------------------------------------------

create function app.outgoing_webhook_as_json(webhook public.outgoing_webhooks) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object('id', webhook.id, 'channel_id', webhook.channel_id, 'url', webhook.url,
    'words', to_jsonb(webhook.words), 'created_by', webhook.created_by, 'created_at', webhook.created_at,
    'delivered_at', webhook.delivered_at, 'disabled_at', webhook.disabled_at, 'problem', webhook.problem,
    'is_unmanaged', (
      select app.is_unmanaged_integration(b.workspace_id, webhook.created_by) from public.bots b where b.profile_id = webhook.bot_id),
    'deliveries', app.failed_deliveries(webhook.id));
end
$$;
comment on function app.outgoing_webhook_as_json is
  'A webhook without its secret, with its last 20 deliveries that failed or are repeated, and why.';

create function public.create_outgoing_webhook(bot uuid, channel uuid, url text, words text[] default '{}')
returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  owner constant public.bots := app.require_bot(bot);
  me constant uuid := app.my_profile_id();
  chosen constant text[] := array(
    select distinct lower(btrim(w)) from unnest(words[1:11]) w where btrim(w) <> '' order by 1);
  webhook public.outgoing_webhooks;
  secret constant text := app.random_signing_secret();
begin
  perform app.require_channel_of_bot(owner, channel);
  if app.is_outgoing_url(create_outgoing_webhook.url) is not true
    or cardinality(chosen) > 10 or exists (select from unnest(chosen) w where w !~ '^\S{1,50}$')
  then
    raise exception using errcode = 'PT400', message = 'bad_webhook';
  end if;
  if 20 <= (select count(*) from public.outgoing_webhooks h where h.bot_id = owner.profile_id) then
    raise exception using errcode = 'PT409', message = 'too_many_webhooks';
  end if;
  insert into public.outgoing_webhooks (bot_id, channel_id, url, words, created_by)
  values (owner.profile_id, channel, create_outgoing_webhook.url, chosen, me) returning * into webhook;
  perform app.store_secret('outgoing webhook ' || webhook.id, secret, 'Signs deliveries of an outgoing webhook.');
  return jsonb_build_object('webhook', app.outgoing_webhook_as_json(webhook), 'secret', secret);
end
$$;
comment on function public.create_outgoing_webhook is
  'Sends messages of one of the bot''s channels to an address, 20 at most for each bot. Which addresses are permitted is a '
  'setting, outgoing_webhook_urls. Only the response contains the secret that signs the requests.';

create function app.require_outgoing_webhook(webhook uuid) returns public.outgoing_webhooks
language plpgsql volatile security definer set search_path = ''
as $$
declare
  found_webhook public.outgoing_webhooks;
begin
  select h.* into found_webhook from public.outgoing_webhooks h where h.id = webhook;
  -- Without such a webhook bot_id is null, and app.require_bot fails with not_found.
  perform app.require_bot(found_webhook.bot_id);
  return found_webhook;
end
$$;
comment on function app.require_outgoing_webhook is
  'A webhook, if the caller manages its workspace; fails as app.require_bot.';

create function public.enable_outgoing_webhook(webhook uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  enabled public.outgoing_webhooks := app.require_outgoing_webhook(webhook);
begin
  perform app.require_readable_channels(b.workspace_id, array[enabled.channel_id])
  from public.bots b where b.profile_id = enabled.bot_id;
  update public.outgoing_webhooks h set disabled_at = null, failures = 0, problem = null
  where h.id = webhook returning * into enabled;
  return app.outgoing_webhook_as_json(enabled);
end
$$;
comment on function public.enable_outgoing_webhook is
  'Enables a webhook that was disabled after repeated failures. What failed is not repeated.';

create function public.renew_outgoing_webhook(webhook uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  renewed public.outgoing_webhooks := app.require_outgoing_webhook(webhook);
  secret constant text := app.random_signing_secret();
begin
  perform app.require_readable_channels(b.workspace_id, array[renewed.channel_id]),
    app.record_action(b.workspace_id, 'webhook.secret_renewed', jsonb_build_object('webhook_id', renewed.id,
      'profile_id', renewed.bot_id, 'channel_id', renewed.channel_id, 'direction', 'outgoing'))
  from public.bots b where b.profile_id = renewed.bot_id;
  perform app.store_secret('outgoing webhook ' || renewed.id, secret, 'Signs deliveries of an outgoing webhook.');
  update public.outgoing_webhooks h
  set disabled_at = null, failures = 0, problem = null, created_by = app.my_profile_id()
  where h.id = renewed.id returning * into renewed;
  return jsonb_build_object('webhook', app.outgoing_webhook_as_json(renewed), 'secret', secret);
end
$$;
comment on function public.renew_outgoing_webhook is
  'Gives a webhook a new secret, which signs all further attempts, and enables it. For those who may read its channel. Only the '
  'response contains the secret.';

create function public.delete_outgoing_webhook(webhook uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  ended constant public.outgoing_webhooks := app.require_outgoing_webhook(webhook);
begin
  delete from public.outgoing_webhooks h where h.id = ended.id;
  return jsonb_build_object('id', ended.id);
end
$$;
comment on function public.delete_outgoing_webhook is 'Deletes a webhook with its secret and what was to be delivered.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.create_outgoing_webhook, public.enable_outgoing_webhook, public.renew_outgoing_webhook,
  public.delete_outgoing_webhook from public, anon, authenticated, service_role;
revoke execute on function public.deliver_webhooks from public, anon, authenticated, service_role;
grant execute on function public.create_outgoing_webhook, public.enable_outgoing_webhook, public.renew_outgoing_webhook,
  public.delete_outgoing_webhook to authenticated;
grant execute on function public.deliver_webhooks to service_role;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: deliver webhooks', '* * * * *',
  'select app.run_webhook_deliveries() where exists (select from public.jobs)');
