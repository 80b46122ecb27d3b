-- Slash commands that bots serve: registration, invocations, delivery and responses. Decision 36 gives the reasons.
--
-- An invocation adds a job and its only attempt in the transaction of the caller: pg_net sends the request after the
-- commit, and a trigger on its responses handles what the server responded with. The function `command-response` converts
-- Slack's payloads and accepts later responses. What only the caller sees is a row of command_responses, which their
-- devices get like their drafts and saved messages.

-- Tables -----------------------------------------------------------------------------------------------

create table public.bot_commands (
  id uuid primary key default gen_random_uuid(),
  bot_id uuid not null references public.bots (profile_id) on delete cascade,
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  name text not null constraint bot_commands_name_plain check (name ~ '^[a-z][a-z0-9_-]{0,31}$'),
  description text not null
    constraint bot_commands_description_length check (char_length(description) between 1 and 100)
    constraint bot_commands_description_legible check (app.is_legible(description)),
  hint text not null
    constraint bot_commands_hint_length check (char_length(hint) <= 60)
    constraint bot_commands_hint_legible check (app.is_legible(hint)),
  url text constraint bot_commands_url_length check (char_length(url) <= 2000),
  enabled boolean not null default true,
  created_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  constraint bot_commands_name_once unique (workspace_id, name)
);
create index bot_commands_bot on public.bot_commands (bot_id);
create index bot_commands_created_by on public.bot_commands (created_by);
comment on table public.bot_commands is
  'Slash commands of bots. Who may use one learns of it by list_commands, who manages it by list_bot_commands. No access '
  'for clients.';
comment on column public.bot_commands.hint is 'What can follow the name, as people read it; empty if nothing can.';
comment on column public.bot_commands.url is
  'Where invocations are sent, signed; null: to the topic of the bot, as the event `command`.';
alter table public.bot_commands enable row level security;
revoke all on public.bot_commands from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.bot_commands to service_role;

create table public.command_invocations (
  id uuid primary key,
  command_id uuid not null references public.bot_commands (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  thread_root uuid references public.messages (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  text text not null constraint command_invocations_text_length check (char_length(text) <= 4000),
  token_hash text not null constraint command_invocations_token_once unique,
  responses smallint not null default 0,
  created_at timestamptz not null default now()
);
create index command_invocations_command on public.command_invocations (command_id);
create index command_invocations_channel on public.command_invocations (channel_id);
create index command_invocations_thread on public.command_invocations (thread_root);
create index command_invocations_profile on public.command_invocations (profile_id);
create index command_invocations_age on public.command_invocations (created_at);
comment on table public.command_invocations is
  'Commands that people have entered, for the 30 minutes in which their response_url accepts responses. No access for '
  'clients.';
comment on column public.command_invocations.token_hash is 'Of the last part of response_url.';
comment on column public.command_invocations.responses is 'How many responses arrived at response_url; 5 at most.';
alter table public.command_invocations enable row level security;
revoke all on public.command_invocations from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.command_invocations to service_role;

create sequence app.command_response_revs;

create table public.command_responses (
  id uuid primary key,
  invocation_id uuid not null,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  thread_root uuid references public.messages (id) on delete cascade,
  bot_id uuid not null references public.profiles (id) on delete cascade,
  command text not null,
  text text not null,
  state text not null constraint command_responses_state_known check (state in ('pending', 'shown', 'failed')),
  problem text,
  body text,
  created_at timestamptz not null default clock_timestamp(),
  rev bigint not null default nextval('app.command_response_revs')
);
create index command_responses_profile on public.command_responses (profile_id);
create index command_responses_invocation on public.command_responses (invocation_id);
create index command_responses_channel on public.command_responses (channel_id);
create index command_responses_thread on public.command_responses (thread_root);
create index command_responses_bot on public.command_responses (bot_id);
create index command_responses_age on public.command_responses (created_at);
comment on table public.command_responses is
  'What only the caller of a command sees: that it is pending, why it failed, or the bot''s ephemeral responses. The row of '
  'an invocation has its id. At most 20 for each person, for a day, or until they dismiss it.';
comment on column public.command_responses.problem is 'Of a failed one: timeout, unreachable, error, bad_response, refused, paused.';
comment on column public.command_responses.body is 'Markdown; null unless it is shown.';
comment on column public.command_responses.rev is 'Orders the changes for the devices that receive them.';
alter table public.command_responses enable row level security;
create policy "people see the responses to their commands" on public.command_responses
  for select to authenticated using (
    profile_id = (select app.my_profile_id()) and channel_id in (select r.channel_id from app.my_readable_channels() r)
  );
comment on policy "people see the responses to their commands" on public.command_responses is
  'Nobody else sees that somebody entered a command, or what the bot responded to them alone.';
revoke all on public.command_responses from public, anon, authenticated, service_role;
grant select on public.command_responses to authenticated;
grant select, insert, update, delete on public.command_responses to service_role;

-- Rows of the caller -----------------------------------------------------------------------------------

create function app.command_response_as_json(response public.command_responses) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('id', response.id, 'channel_id', response.channel_id, 'thread_root', response.thread_root,
    'bot_id', response.bot_id, 'command', response.command, 'text', response.text, 'state', response.state,
    'problem', response.problem, 'body', response.body, 'created_at', response.created_at, 'rev', response.rev)
$$;
comment on function app.command_response_as_json is 'A response to a command as its caller''s devices get it.';

create function app.notify_command_response() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant public.command_responses := case when tg_op = 'DELETE' then old else new end;
begin
  perform app.notify_own_row(changed.profile_id, 'responses', 'response', case when tg_op = 'DELETE'
      then jsonb_build_object('id', changed.id, 'channel_id', changed.channel_id, 'state', null)
      else app.command_response_as_json(changed) end,
    (select c.workspace_id from public.channels c where c.id = changed.channel_id));
  return null;
end
$$;
comment on function app.notify_command_response is 'Sends a changed response to a command to all devices of its caller.';
create trigger command_responses_are_broadcast after insert or update or delete on public.command_responses
  for each row execute function app.notify_command_response();

create function app.add_command_response(
  id uuid, invocation public.command_invocations, command public.bot_commands, state text, body text
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  -- Two of one person are counted together.
  perform from public.profiles p where p.id = invocation.profile_id for no key update;
  delete from public.command_responses r where r.id in (
    select o.id from public.command_responses o where o.profile_id = invocation.profile_id
    order by o.rev desc offset 19);
  insert into public.command_responses (id, invocation_id, profile_id, channel_id, thread_root, bot_id, command, text,
    state, body)
  values (add_command_response.id, invocation.id, invocation.profile_id, invocation.channel_id, invocation.thread_root,
    command.bot_id, command.name, invocation.text, add_command_response.state, add_command_response.body);
end
$$;
comment on function app.add_command_response is 'Adds a row of command_responses; of 20 the oldest is removed.';

create function public.dismiss_response(response uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_profile();
begin
  delete from public.command_responses r where r.id = response and r.profile_id = me;
  return jsonb_build_object('id', response);
end
$$;
comment on function public.dismiss_response is
  'Removes a response to a command of the caller from all their devices; repeated calls do nothing.';

-- Invoking ---------------------------------------------------------------------------------------------

create function app.commands_in(channel uuid, thread_root uuid) returns setof public.bot_commands
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
    select k.*
    from public.channel_members m
    join public.bots b on b.profile_id = m.profile_id and b.token_expires_at > now()
    join public.bot_commands k on k.bot_id = b.profile_id and k.enabled
    cross join lateral app.channel_access_of_person(b.profile_id, commands_in.channel) a
    left join public.messages root on root.id = commands_in.thread_root and root.channel_id = commands_in.channel
    where m.channel_id = commands_in.channel and a.member
      and (commands_in.thread_root is null or root.history_seq >= a.history_from_seq);
end
$$;
comment on function app.commands_in is
  'The enabled commands of bots that are in a channel and have a valid token; in a thread, of those that may read it.';

create function public.list_commands(channel uuid, thread_root uuid default null) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  access constant app.channel_access := app.require_reader(channel);
begin
  return jsonb_build_object('commands', coalesce((
    select jsonb_agg(jsonb_build_object('name', k.name, 'description', k.description, 'hint', k.hint,
      'bot', jsonb_build_object('id', p.id, 'name', p.name)) order by k.name)
    from (
      select c.* from app.commands_in(channel, list_commands.thread_root) c
      where access.member order by c.name limit 200) k
    join public.profiles p on p.id = k.bot_id), '[]'));
end
$$;
comment on function public.list_commands is
  'The commands of bots that the caller can use in a channel or thread, 200 at most; none for readers who are no members.';

create function app.fail_command(invocation uuid, problem text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- A response that arrived by response_url stays.
  update public.command_responses r
  set state = 'failed', problem = fail_command.problem, rev = nextval('app.command_response_revs')
  where r.id = invocation and r.state = 'pending';
end
$$;
comment on function app.fail_command is 'Shows the caller why their command has no response.';

create function app.command_fields(
  command public.bot_commands, invocation public.command_invocations, token text
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_strip_nulls((
    select jsonb_build_object('command', '/' || command.name, 'text', invocation.text, 'channel_id', c.id,
      'channel_name', c.name, 'thread_root', invocation.thread_root, 'user_id', p.id, 'user_name', p.name,
      'team_id', command.workspace_id, 'api_app_id', command.bot_id, 'trigger_id', invocation.id,
      'response_url', rtrim(app.read_secret('project_url'), '/') || '/functions/v1/command-response/' || token)
    from public.channels c, public.profiles p
    where c.id = invocation.channel_id and p.id = invocation.profile_id));
end
$$;
comment on function app.command_fields is
  'What a bot receives about an invocation: of the caller their id and name, and of the channel what the bot reads itself.';

create function app.send_command(
  command public.bot_commands, invocation public.command_invocations, token text
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  fields constant jsonb := app.command_fields(command, invocation, token);
  body constant text := (
    select string_agg(f.key || '=' || net._urlencode_string(f.value), '&') from jsonb_each_text(fields) f);
  secret constant text := app.read_secret('bot commands ' || command.bot_id);
  job uuid;
  request bigint;
begin
  if command.url is null then
    perform app.notify_user(command.bot_id, 'command', fields);
    return;
  end if;
  if app.is_outgoing_paused() then
    perform app.fail_command(invocation.id, 'paused');
    return;
  end if;
  insert into public.jobs (kind, owner_id, payload, attempts, run_at)
  values ('command', command.id, jsonb_build_object('invocation_id', invocation.id), 1, now() + interval '30 seconds')
  returning id into job;
  if secret is null then
    perform app.finish_job(job, 'The secret cannot be read. Create a new signing secret.', 1);
    perform app.fail_command(invocation.id, 'error');
    return;
  end if;
  -- net.http_post sends JSON only.
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values ('POST', command.url,
    '{"content-type": "application/x-www-form-urlencoded"}'::jsonb || app.signature_headers(job, secret, body),
    convert_to(body, 'UTF8'), 3000)
  returning id into request;
  perform net.wake();
  update public.jobs j set request_id = request where j.id = job;
end
$$;
comment on function app.send_command is
  'Sends an invocation after this transaction: signed to the address of the command, once, with a timeout of 3 seconds; '
  'or to the topic of its bot.';

create function public.invoke_command(
  id uuid, channel uuid, name text, text text default '', thread_root uuid default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_participant(channel);
  arguments constant text := btrim(coalesce(invoke_command.text, ''));
  token constant text := app.random_token();
  command public.bot_commands;
  invocation public.command_invocations;
begin
  perform app.consume_rate_limit('command');
  if char_length(arguments) > 4000 then
    raise exception using errcode = 'PT400', message = 'command_text_length';
  end if;
  -- Two bots could invoke each other forever.
  if exists (select from public.profiles p where p.id = access.profile_id and p.kind = 'bot') then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif invoke_command.thread_root is null and access.posting = 'admins' and not app.can_manage_channel(access) then
    raise exception using errcode = 'PT403', message = 'posting_admins';
  elsif invoke_command.thread_root is not null and not exists (
    select from public.messages m
    where m.id = invoke_command.thread_root and m.channel_id = channel and m.thread_root is null and m.kind = 'text'
      and m.deleted_at is null and m.history_seq >= access.history_from_seq)
  then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  select k.* into command from app.commands_in(channel, invoke_command.thread_root) k where k.name = invoke_command.name;
  if command.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  insert into public.command_invocations (id, command_id, channel_id, thread_root, profile_id, text, token_hash)
  values (invoke_command.id, command.id, channel, invoke_command.thread_root, access.profile_id, arguments,
    app.hash_token(token))
  on conflict (id) do nothing returning * into invocation;
  if invocation.id is null then
    -- The same request again; the first one was sent.
    if exists (
      select from public.command_invocations i
      where i.id = invoke_command.id and i.profile_id = access.profile_id and i.command_id = command.id)
    then
      return jsonb_build_object('id', invoke_command.id);
    end if;
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  perform app.add_command_response(invocation.id, invocation, command, 'pending', null);
  perform app.send_command(command, invocation, token);
  return jsonb_build_object('id', invocation.id);
end
$$;
comment on function public.invoke_command is
  'Runs a command of a bot in a channel or thread where the caller may write. The client chooses the id: repeated calls '
  'run it once. Fails with not_found unless the bot is there, may read the thread, and has a valid token.';

create function app.refuse_silenced_command() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if app.is_silenced(new.profile_id, new.channel_id) then
    raise exception using errcode = 'PT403', message = 'silenced';
  end if;
  return new;
end
$$;
comment on function app.refuse_silenced_command is 'Fails with silenced if a silenced person enters a command of a bot.';
create trigger silenced_people_enter_no_commands before insert on public.command_invocations
  for each row execute function app.refuse_silenced_command();
comment on trigger silenced_people_enter_no_commands on public.command_invocations is 'A bot can post what they enter.';

-- Responses --------------------------------------------------------------------------------------------

create function app.show_response(
  invocation public.command_invocations, body text, in_channel boolean, replaces boolean
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  command public.bot_commands;
  root public.messages;
begin
  select k.* into command from public.bot_commands k where k.id = invocation.command_id;
  -- Neither a bot that was removed nor a caller who was gets anything any more.
  if not exists (
      select from public.bots b cross join lateral app.channel_access_of_person(b.profile_id, invocation.channel_id) a
      where b.profile_id = command.bot_id and b.token_expires_at > now() and a.member)
    or not exists (
      select from app.channel_access_of_person(invocation.profile_id, invocation.channel_id) a
      where a.member and app.can_receive(invocation.profile_id, invocation.channel_id))
  then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  end if;
  if in_channel and body is not null then
    perform app.post_as_bot(command.bot_id, invocation.channel_id, body, invocation.thread_root);
    -- Nobody posts through a bot what they may not write themselves. Checked under the locks of the message.
    select m.* into root from public.messages m where m.id = invocation.thread_root;
    perform app.require_posting((app.require_writer(invocation.profile_id, invocation.channel_id)).access,
      invocation.thread_root, root, invocation.thread_root is null);
    perform app.require_permitted_text(invocation.profile_id, invocation.channel_id, body, true);
  end if;
  if replaces then
    delete from public.command_responses r where r.invocation_id = invocation.id and r.state <> 'pending';
  end if;
  if in_channel or body is null then
    delete from public.command_responses r where r.id = invocation.id and r.state <> 'shown';
    return;
  end if;
  update public.command_responses r
  set state = 'shown', body = show_response.body, problem = null, rev = nextval('app.command_response_revs')
  where r.id = invocation.id and r.state <> 'shown';
  if not found then
    perform app.add_command_response(gen_random_uuid(), invocation, command, 'shown', body);
  end if;
end
$$;
comment on function app.show_response is
  'Posts a response into the channel or thread of its invocation, if the caller may write it there too, or shows it to the '
  'caller. Without a body it only ends the pending state. `replaces`: what the caller saw before is removed. Fails with '
  'not_a_member, and as post_as_bot and require_permitted_text.';

create function app.end_command(job public.jobs, problem text, code text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- A person waits: it is not repeated.
  perform app.finish_job(job.id, problem, 1);
  if problem is not null then
    perform app.fail_command((job.payload ->> 'invocation_id')::uuid, code);
  end if;
end
$$;
comment on function app.end_command is
  'Ends the delivery of an invocation. With a problem it has failed: those who manage the bot see why, the caller that it '
  'has, by its code.';

create function app.receive_command_response() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  job public.jobs;
  invocation public.command_invocations;
begin
  select j.* into job from public.jobs j where j.request_id = new.id and j.kind = 'command' and j.failed_at is null;
  if job.id is null then return null; end if;
  delete from net._http_response r where r.id = new.id;
  if new.status_code between 200 and 299 then
    if btrim(coalesce(new.content, ''), E' \t\r\n') = '' then
      select i.* into invocation from public.command_invocations i
      where i.id = (job.payload ->> 'invocation_id')::uuid;
      perform app.end_command(job, null, null);
      if invocation.id is not null then perform app.show_response(invocation, null, false, false); end if;
    elsif octet_length(new.content) > 100000 then
      perform app.end_command(job, 'The response has more than 100 kB.', 'bad_response');
    else
      perform app.start_task('command-response', jsonb_build_object('job', job.id, 'content', new.content,
        'content_type', coalesce(new.content_type, '')));
    end if;
  elsif new.status_code is not null then
    perform app.end_command(job, 'The server responded with status ' || new.status_code || '.', 'error');
  elsif new.timed_out then
    perform app.end_command(job, 'The server did not respond in time.', 'timeout');
  else
    perform app.end_command(job, coalesce(new.error_msg, 'The request failed.'), 'unreachable');
  end if;
  return null;
-- The worker of pg_net stores the responses of others in the same transaction. expire_commands ends the job.
exception
  -- The bot or the caller is no longer a member.
  when sqlstate 'PT403' then
    return null;
  when transaction_rollback or object_not_in_prerequisite_state or data_exception or integrity_constraint_violation
    or syntax_error_or_access_rule_violation or invalid_schema_name or raise_exception then
    raise warning 'The response % to a slash command was not handled: %', new.id, sqlerrm;
    return null;
end
$$;
comment on function app.receive_command_response is
  'Handles what the server of a command responded with, as soon as pg_net stores it, and deletes it there. A body is '
  'converted by the function command-response.';
create trigger receive_command_response after insert on net._http_response
  for each row execute function app.receive_command_response();

create function public.finish_command(
  job uuid, body text default null, in_channel boolean default false, is_bad boolean default false
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  finished public.jobs;
  invocation public.command_invocations;
begin
  select j.* into finished from public.jobs j
  where j.id = finish_command.job and j.kind = 'command' and j.failed_at is null for update;
  select i.* into invocation from public.command_invocations i
  where i.id = (finished.payload ->> 'invocation_id')::uuid;
  if finished.id is null or invocation.id is null then return jsonb_build_object('finished', false); end if;
  if is_bad then
    perform app.end_command(finished, 'The response is not a payload that can be shown.', 'bad_response');
    return jsonb_build_object('finished', true);
  end if;
  begin
    perform app.show_response(invocation, finish_command.body, in_channel, false);
    perform app.end_command(finished, null, null);
  exception when sqlstate 'PT400' or sqlstate 'PT403' or sqlstate 'PT404' or sqlstate 'PT409' then
    perform app.end_command(finished, 'The response was refused: ' || sqlerrm, 'refused');
  end;
  return jsonb_build_object('finished', true);
end
$$;
comment on function public.finish_command is
  'For service_role: the converted response of a command''s server, or that it cannot be converted (`is_bad`).';

create function public.respond_to_command(
  token text, body text default null, in_channel boolean default false, replaces boolean default false
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  invocation public.command_invocations;
begin
  update public.command_invocations i set responses = i.responses + 1
  where i.token_hash = app.hash_token(token) and i.created_at > now() - interval '30 minutes'
  returning * into invocation;
  if invocation.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif invocation.responses > 5 then
    raise exception using errcode = 'PT429', message = 'rate_limited';
  end if;
  if invocation.responses = 1 then
    -- The bot has received it: the broadcast, which is stored for days, need not contain a valid token any longer.
    update realtime.messages b set payload = b.payload - 'response_url'
    where b.inserted_at = invocation.created_at at time zone 'UTC' and b.extension = 'broadcast' and b.private is true
      and b.topic = (select 'user:' || c.bot_id from public.bot_commands c where c.id = invocation.command_id)
      and b.event = 'command' and b.payload ->> 'trigger_id' = invocation.id::text;
  end if;
  perform app.show_response(invocation, respond_to_command.body, in_channel, replaces);
  return jsonb_build_object('responses', invocation.responses);
end
$$;
comment on function public.respond_to_command is
  'For service_role: a response to an invocation by the token of its response_url, within 30 minutes, 5 at most. Fails with '
  'not_found, rate_limited, and as show_response.';

create function app.expire_commands() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  job public.jobs;
begin
  for job in
    select j.* from public.jobs j
    where j.kind = 'command' and j.failed_at is null and j.run_at <= now()
    order by j.run_at limit 1000 for update skip locked
  loop
    perform app.end_command(job, 'No response could be shown in time.', 'timeout');
  end loop;
  -- Those of bots without an address have no job.
  perform app.fail_command(r.id, 'timeout') from public.command_responses r
  where r.state = 'pending' and r.created_at < now() - interval '60 seconds';
  delete from public.command_invocations i where i.created_at < now() - interval '30 minutes';
  delete from public.command_responses r where r.created_at < now() - interval '1 day';
end
$$;
comment on function app.expire_commands is
  'Ends commands that have no response, and deletes invocations after 30 minutes and responses after a day. Every minute.';

-- Managing ---------------------------------------------------------------------------------------------

create function app.failed_deliveries(owner uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object('id', j.id, 'created_at', j.created_at, 'attempts', j.attempts,
      'error', j.error, 'failed_at', j.failed_at) order by j.created_at desc, j.id)
    from (
      select j.* from public.jobs j where j.owner_id = failed_deliveries.owner and j.error is not null
      order by j.created_at desc, j.id limit 20) j), '[]');
end
$$;
comment on function app.failed_deliveries is 'The last 20 jobs of an owner that failed or are repeated, and why.';

create function app.bot_command_as_json(command public.bot_commands) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object('id', command.id, 'name', command.name, 'description', command.description,
    'hint', command.hint, 'url', command.url, 'enabled', command.enabled, 'created_by', command.created_by,
    'created_at', command.created_at,
    'is_unmanaged', app.is_unmanaged_integration(command.workspace_id, command.created_by), 'deliveries', app.failed_deliveries(command.id));
end
$$;
comment on function app.bot_command_as_json is
  'A command as those who manage its bot see it, with its last 20 deliveries that failed.';

-- Bots cannot register the names of commands that the application has itself, such as /date.
create function app.check_bot_command(command public.bot_commands) returns public.bot_commands
language plpgsql stable security definer set search_path = ''
as $$
begin
  command.name := lower(btrim(command.name));
  command.description := btrim(command.description);
  command.hint := btrim(coalesce(command.hint, ''));
  command.url := nullif(btrim(command.url), '');
  if (command.name ~ '^[a-z][a-z0-9_-]{0,31}$' and char_length(command.description) between 1 and 100
    and char_length(command.hint) <= 60) is not true
  then
    raise exception using errcode = 'PT400', message = 'bad_command';
  elsif command.url is not null and not app.is_outgoing_url(command.url) then
    raise exception using errcode = 'PT400', message = 'bad_command_url';
  -- Those of the application (`BUILT_IN_COMMANDS` in wire/botCommands.ts).
  elsif command.name in ('date', 'dm', 'invite', 'leave', 'me', 'msg', 'mute', 'poll', 'remind', 'shortcuts', 'shrug',
      'status', 'topic')
    or exists (
      select from public.bot_commands k
      where k.workspace_id = command.workspace_id and k.name = command.name and k.id <> command.id)
  then
    raise exception using errcode = 'PT409', message = 'command_taken';
  end if;
  return command;
end
$$;
comment on function app.check_bot_command is
  'A command as it is stored; fails with bad_command, bad_command_url, or command_taken if the name is that of another '
  'command.';

create function public.create_bot_command(
  bot uuid, name text, description text, hint text default '', url text default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  owner constant public.bots := app.require_bot(bot);
  command public.bot_commands;
  secret text;
begin
  -- Names are unique in the workspace: of two managers the second sees what the first has created.
  perform from public.workspaces w where w.id = owner.workspace_id for no key update;
  command.id := gen_random_uuid();
  command.bot_id := owner.profile_id;
  command.workspace_id := owner.workspace_id;
  command.name := create_bot_command.name;
  command.description := create_bot_command.description;
  command.hint := create_bot_command.hint;
  command.url := create_bot_command.url;
  command.enabled := true;
  command.created_by := app.my_profile_id();
  command.created_at := now();
  command := app.check_bot_command(command);
  if 20 <= (select count(*) from public.bot_commands k where k.bot_id = owner.profile_id) then
    raise exception using errcode = 'PT409', message = 'too_many_commands';
  end if;
  insert into public.bot_commands select command.*;
  if app.read_secret('bot commands ' || owner.profile_id) is null then
    secret := app.random_signing_secret();
    perform app.store_secret('bot commands ' || owner.profile_id, secret, 'Signs the commands of a bot.');
  end if;
  return jsonb_build_object('command', app.bot_command_as_json(command), 'secret', secret);
end
$$;
comment on function public.create_bot_command is
  'Registers a slash command of a bot, 20 at most for each bot. Only the response to the first one contains the secret '
  'that signs the requests of this bot''s commands.';

create function app.require_bot_command(command uuid) returns public.bot_commands
language plpgsql volatile security definer set search_path = ''
as $$
declare
  found_command public.bot_commands;
begin
  select k.* into found_command from public.bot_commands k where k.id = command;
  if found_command.id is null then
    perform app.require_profile();
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  perform app.require_bot(found_command.bot_id);
  return found_command;
end
$$;
comment on function app.require_bot_command is
  'A command of a bot, if the caller manages its workspace; fails as app.require_bot.';

create function public.update_bot_command(
  command uuid, name text, description text, hint text default '', url text default null, enabled boolean default true
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  changed public.bot_commands := app.require_bot_command(command);
begin
  perform from public.workspaces w where w.id = changed.workspace_id for no key update;
  if nullif(btrim(update_bot_command.url), '') is distinct from changed.url then
    -- The person who chooses the address decides where the texts of callers are sent.
    changed.created_by := app.my_profile_id();
  end if;
  changed.name := update_bot_command.name;
  changed.description := update_bot_command.description;
  changed.hint := update_bot_command.hint;
  changed.url := update_bot_command.url;
  changed := app.check_bot_command(changed);
  update public.bot_commands k
  set name = changed.name, description = changed.description, hint = changed.hint, url = changed.url,
    enabled = coalesce(update_bot_command.enabled, true), created_by = changed.created_by
  where k.id = changed.id returning * into changed;
  return app.bot_command_as_json(changed);
end
$$;
comment on function public.update_bot_command is 'Changes all properties of a command of a bot; what is absent is emptied.';

create function public.delete_bot_command(command uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  ended constant public.bot_commands := app.require_bot_command(command);
begin
  delete from public.bot_commands k where k.id = ended.id;
  return jsonb_build_object('id', ended.id);
end
$$;
comment on function public.delete_bot_command is 'Deletes a command of a bot, with its invocations.';

create function public.renew_command_secret(bot uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  owner constant public.bots := app.require_bot(bot);
  secret constant text := app.random_signing_secret();
begin
  perform app.store_secret('bot commands ' || owner.profile_id, secret, 'Signs the commands of a bot.');
  perform app.record_action(owner.workspace_id, 'command.secret_renewed', jsonb_build_object('profile_id', owner.profile_id));
  return jsonb_build_object('secret', secret);
end
$$;
comment on function public.renew_command_secret is
  'Gives a bot a new secret, which signs the requests of its commands from now on. Only the response contains it.';

create function public.list_bot_commands(bot uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  owner constant public.bots := app.require_bot(bot);
begin
  return jsonb_build_object('commands', coalesce((
    select jsonb_agg(app.bot_command_as_json(k) order by k.name)
    from public.bot_commands k where k.bot_id = owner.profile_id), '[]'));
end
$$;
comment on function public.list_bot_commands is
  'The commands of a bot, for those who manage the workspace, with deliveries that failed and without text of callers.';

create function app.remove_command_deliveries() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.jobs j where j.kind = 'command' and j.owner_id = old.id;
  return null;
end
$$;
comment on function app.remove_command_deliveries is 'Deletes the deliveries of a command with it.';
create trigger remove_command_deliveries after delete on public.bot_commands
  for each row execute function app.remove_command_deliveries();

create function app.remove_command_secret() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from vault.secrets s where s.name = 'bot commands ' || old.profile_id;
  return null;
end
$$;
comment on function app.remove_command_secret is 'Deletes the secret of a bot''s commands with the bot.';
create trigger remove_command_secret after delete on public.bots
  for each row execute function app.remove_command_secret();

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.dismiss_response, public.list_commands, public.invoke_command, public.finish_command,
  public.respond_to_command, public.create_bot_command, public.update_bot_command, public.delete_bot_command,
  public.renew_command_secret, public.list_bot_commands from public, anon, authenticated, service_role;
grant execute on function public.dismiss_response, public.list_commands, public.invoke_command,
  public.create_bot_command, public.update_bot_command, public.delete_bot_command, public.renew_command_secret,
  public.list_bot_commands to authenticated;
grant execute on function public.finish_command, public.respond_to_command to service_role;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: expire commands', '* * * * *', $$select app.expire_commands()
  where exists (select from public.command_invocations) or exists (select from public.command_responses)$$);
