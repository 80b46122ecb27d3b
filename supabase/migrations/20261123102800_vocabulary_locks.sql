-- Deleting a message never waits for the job that fills the vocabulary, whose transaction has many of its words.

create or replace function app.remove_from_vocabulary() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  removed constant text[] := array(
    select w from unnest(tsvector_to_array(old.words)) w
    where tg_op = 'DELETE' or w <> all (tsvector_to_array(new.words)));
  workspace constant uuid := (select c.workspace_id from public.channels c where c.id = old.channel_id);
begin
  delete from public.search_vocabulary v
  where v.workspace_id = workspace and v.word in (
    select l.word from public.search_vocabulary l
    where l.workspace_id = workspace and l.word = any (removed) and l.messages < 3 for update skip locked);
  return null;
end
$$;
comment on function app.remove_from_vocabulary is
  'Removes words of deleted and edited messages that occurred in few others: what was deleted does not remain here. A word '
  'that another transaction is writing is left to it: waiting for it could end in a deadlock.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
