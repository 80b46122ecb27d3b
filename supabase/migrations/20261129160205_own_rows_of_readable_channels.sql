-- Drafts and responses in channels that a person may no longer read are not sent to their devices.
--
-- Drafts and responses to commands of such channels were counted, but no list shows them. They are sent again once
-- the person may read the channel again. Saved messages are listed without their text, so that the person can remove them.

create or replace view app.own_rows as
select 'drafts' as kind, d.profile_id, c.workspace_id, get_byte(uuid_send(d.id), 15) >> 2 as bucket,
  hash_record_extended(row(d.id, d.rev, d.change_id), 0) as hash, app.draft_as_json(d) as json
from public.drafts d join public.channels c on c.id = d.channel_id
where (app.channel_access_of_person(d.profile_id, c.id)).member is not null
union all
select 'saved', s.profile_id, c.workspace_id, get_byte(uuid_send(s.message_id), 15) >> 2,
  hash_record_extended(row(s.message_id, s.rev, s.state), 0), app.saved_message_as_json(s)
from public.saved_messages s join public.channels c on c.id = s.channel_id
union all
select 'responses', r.profile_id, c.workspace_id, get_byte(uuid_send(r.id), 15) >> 2,
  hash_record_extended(row(r.id, r.rev), 0), app.command_response_as_json(r)
from public.command_responses r join public.channels c on c.id = r.channel_id
where (app.channel_access_of_person(r.profile_id, c.id)).member is not null
union all
select 'searches', s.profile_id, s.workspace_id, get_byte(uuid_send(s.id), 15) >> 2,
  hash_record_extended(row(s.id, s.rev), 0), app.saved_search_as_json(s)
from public.saved_searches s
union all
select 'scheduled', s.profile_id, c.workspace_id, get_byte(uuid_send(s.id), 15) >> 2,
  hash_record_extended(row(s.id, s.rev), 0), app.scheduled_message_as_json(s)
from public.scheduled_messages s join public.channels c on c.id = s.channel_id
union all
select 'reminders', r.profile_id, r.workspace_id, get_byte(uuid_send(r.id), 15) >> 2,
  hash_record_extended(row(r.id, r.rev), 0), app.reminder_as_json(r)
from public.reminders r;
comment on view app.own_rows is
  'Own rows of all kinds, with the bucket and the hash of their digest; without drafts and responses in channels that '
  'the person may not read. A query that does not select json does not compute it.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
