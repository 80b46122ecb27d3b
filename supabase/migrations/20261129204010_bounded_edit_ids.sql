-- The ids of the edits of a message are bounded. A program could add any number of them to one message.

alter table public.message_edits add column position bigint generated always as identity;
comment on table public.message_edits is
  'Ids of the last 100 edits of a message: a repeated edit, even after a later one, changes nothing. No access for '
  'clients.';
comment on column public.message_edits.position is 'Orders the edits of a message.';
revoke all on sequence public.message_edits_position_seq from public, anon, authenticated, service_role;
delete from public.message_edits e
where e.position <= (
  select o.position from public.message_edits o where o.message_id = e.message_id
  order by o.position desc offset 100 limit 1);

create function app.limit_message_edits() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  delete from public.message_edits e
  where e.message_id = new.message_id and e.position <= (
    select o.position from public.message_edits o where o.message_id = new.message_id
    order by o.position desc offset 100 limit 1);
  return null;
end
$$;
comment on function app.limit_message_edits is
  'Keeps the ids of the last 100 edits of a message: a device repeats only the edits that it has not seen confirmed.';
create trigger message_edits_at_most_hundred after insert on public.message_edits
  for each row execute function app.limit_message_edits();

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
