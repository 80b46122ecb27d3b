-- What a message can carry besides its text: a poll, a quoted or forwarded message, a voice recording. Decision 27.
--
-- `messages.extras` is an object with one property for each kind. A kind is one function, app.<kind>_extra, which checks
-- and normalises what a sender passes. Incoming webhooks pass cards, which app.webhook_extras checks. Storage, JSON,
-- broadcasts, search, deletion and redaction treat all kinds alike.
-- What readers do with it (votes, ticked tasks) is stored as reactions, under the keys `poll:<option>` and `task:<hash>`.

-- Kinds ------------------------------------------------------------------------------------------------

create function app.require_extras_shape(extras jsonb) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if extras is null then return; end if;
  if jsonb_typeof(extras) <> 'object' or octet_length(extras::text) > 16000 then
    raise exception using errcode = 'PT400', message = 'bad_extra';
  end if;
end
$$;
comment on function app.require_extras_shape is
  'Fails with bad_extra unless the extras are an object of at most 16,000 bytes. Before any lock.';

create function app.poll_extra(content jsonb, files jsonb) returns jsonb
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
comment on function app.poll_extra is
  'A poll: 2 to 20 different options, whether several may be chosen, whether votes are anonymous, and when it closes, '
  'within a year, or null. The question is the text of the message.';

create function app.quote_extra(content jsonb, files jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  quoted public.messages;
begin
  begin
    select * into quoted from public.messages m where m.id = (content ->> 'message_id')::uuid;
  exception when invalid_text_representation then
    raise exception using errcode = 'PT400', message = 'bad_extra';
  end;
  perform app.require_message((content ->> 'message_id')::uuid);
  if quoted.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  elsif quoted.kind <> 'text' then
    raise exception using errcode = 'PT400', message = 'bad_extra';
  end if;
  return jsonb_build_object('message_id', quoted.id);
end
$$;
comment on function app.quote_extra is
  'A quoted message, which the author may read. Only its id is stored: each reader gets the text with their own rights, '
  'and nobody after it was deleted.';

create function app.forward_extra(content jsonb, files jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  checked constant jsonb := app.quote_extra(content, files);
  inner_forward constant jsonb := (
    select m.extras -> 'forward' from public.messages m where m.id = (checked ->> 'message_id')::uuid and m.body = '');
begin
  -- Forwarding a bare forward refers to the original, which may not be readable to the one who forwards.
  if inner_forward is null then return checked; end if;
  return app.quote_extra(inner_forward, files);
end
$$;
comment on function app.forward_extra is
  'A forwarded message, stored like a quote. Its files are not copied: who may read the original may read them.';

create function app.voice_extra(content jsonb, files jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  if jsonb_array_length(files) <> 1
    or jsonb_typeof(content -> 'duration_ms') is distinct from 'number'
    or (content ->> 'duration_ms')::numeric not between 1 and 3600000
    or jsonb_typeof(content -> 'waveform') is distinct from 'array'
    or jsonb_array_length(content -> 'waveform') not between 1 and 128
    or jsonb_path_exists(content, '$.waveform[*] ? (@.type() != "number" || @ < 0 || @ > 100)')
  then
    raise exception using errcode = 'PT400', message = 'bad_extra';
  end if;
  return jsonb_build_object('duration_ms', round((content ->> 'duration_ms')::numeric), 'waveform', (
    select jsonb_agg(round(w::numeric) order by ordinal)
    from jsonb_array_elements_text(content -> 'waveform') with ordinality e (w, ordinal)));
end
$$;
comment on function app.voice_extra is
  'A voice recording, which is the only file of the message: its duration in ms, up to an hour, and 1 to 128 amplitudes '
  'from 0 to 100.';

create function app.require_extras(extras jsonb, files jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  checked jsonb := '{}';
  content jsonb;
  kind text;
begin
  for kind, content in select e.key, e.value from jsonb_each(extras) e loop
    -- No dynamic statement: after each request of a schema that has one, the data API resets the session.
    content := case when jsonb_typeof(content) = 'object' then case kind
      when 'poll' then app.poll_extra(content, files)
      when 'quote' then app.quote_extra(content, files)
      when 'forward' then app.forward_extra(content, files)
      when 'voice' then app.voice_extra(content, files) end end;
    if content is null then
      raise exception using errcode = 'PT400', message = 'bad_extra';
    end if;
    checked := checked || jsonb_build_object(kind, content);
  end loop;
  return nullif(checked, '{}');
end
$$;
comment on function app.require_extras is
  'The extras of a message as they are stored; fails with bad_extra for an unknown kind, and as the function of each '
  'kind, app.<kind>_extra, does.';

create function app.is_position(value jsonb) returns boolean
language sql immutable set search_path = ''
as $$
  select coalesce(
    jsonb_typeof(value) = 'number' and (value #>> '{}')::numeric between 0 and 40000 and (value #>> '{}')::numeric % 1 = 0,
    false)
$$;
comment on function app.is_position is 'Whether a value is an index of UTF-16 units in a body.';

create function app.webhook_extras(extras jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  if extras is null then return null; end if;
  if jsonb_typeof(extras) <> 'object' or extras = '{}' or extras - '{cards,sender,icon}'::text[] <> '{}'
    or extras ? 'cards' and (
      jsonb_typeof(extras #> '{cards,items}') is distinct from 'array'
      or jsonb_array_length(extras #> '{cards,items}') not between 1 and 20
      or jsonb_path_exists(extras, '$.cards.items[*] ? (@.type() != "object")')
      or not app.is_position(extras #> '{cards,start}'))
    or extras ? 'sender' and (
      jsonb_typeof(extras #> '{sender,name}') is distinct from 'string'
      or char_length(extras #>> '{sender,name}') not between 1 and 80
      or not app.is_legible(extras #>> '{sender,name}')
      or not app.is_position(extras #> '{sender,end}'))
    or extras ? 'icon' and (
      jsonb_typeof(extras -> 'icon') is distinct from 'string' or not app.is_emoji(extras ->> 'icon'))
  then
    raise exception using errcode = 'PT400', message = 'bad_extra';
  end if;
  return extras;
end
$$;
comment on function app.webhook_extras is
  'The extras of a message that an incoming webhook posts. 1 to 20 cards show the text of the body behind a position in another '
  'form. A sender is a name that pages show as the author, in place of the text before a position. An icon is an emoji that pages '
  'show as the picture of the author. The function `incoming-webhook` builds them. Fails with bad_extra.';

create function app.searchable_text(body text, extras jsonb) returns text
language sql immutable set search_path = ''
as $$
  select concat_ws(' ', body, (
    select string_agg(o, ' ') from jsonb_array_elements_text(
      case when jsonb_typeof(extras #> '{poll,options}') = 'array' then extras #> '{poll,options}' else '[]' end) o))
$$;
comment on function app.searchable_text is 'The text of a message with the options of its poll, which search finds too.';
