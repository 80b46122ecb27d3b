-- Names that mislead: signs that turn the words beside them around, and names of which nothing is to be seen.

create function app.is_legible(said text) returns boolean
language sql immutable set search_path = ''
as $$
  select said !~ '[\u202A-\u202E\u2066-\u2069]'
    and (btrim(said) = '' or said ~ ('[^[:space:][:cntrl:]\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F'
      '\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0]'))
$$;
comment on function app.is_legible is
  'Whether a name can be told by its looks: no sign in it overrides the direction of what follows, and some sign shows. '
  'Of nothing but blanks the bound of its length speaks.';

create or replace function app.require_name(name text, failure text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if name is null or char_length(btrim(name)) not between 1 and 80 or name ~ '[[:cntrl:]]' or not app.is_legible(name) then
    raise exception using errcode = 'PT400', message = failure;
  end if;
  return btrim(name);
end
$$;

-- What is there already: the signs go, and what shows nothing then is named by its id.
create function pg_temp.legible(said text, id uuid) returns text
language sql
as $$
  select case when app.is_legible(plain) then plain else left(id::text, 8) end
  from (select regexp_replace(said, '[\u202A-\u202E\u2066-\u2069]', '', 'g') as plain) p
$$;
update public.profiles p set name = pg_temp.legible(p.name, p.id) where not app.is_legible(p.name);
update public.profiles p set status_text = null, status_emoji = null
where not app.is_legible(p.status_text) or not app.is_legible(p.status_emoji);
update public.workspaces w set name = pg_temp.legible(w.name, w.id) where not app.is_legible(w.name);
-- With its id, since another may have the name that is left.
update public.channels c set name = left(pg_temp.legible(c.name, c.id), 71) || ' ' || left(c.id::text, 8)
where not app.is_legible(c.name);
update public.sections s set name = left(pg_temp.legible(s.name, s.id), 71) || ' ' || left(s.id::text, 8)
where not app.is_legible(s.name);
delete from public.reactions r where not app.is_legible(r.emoji);
drop function pg_temp.legible(text, uuid);
-- A table of which something is still to be told can't be altered.
set constraints all immediate;

alter table public.profiles
  add constraint profiles_name_legible check (app.is_legible(name)),
  add constraint profiles_status_text_legible check (app.is_legible(status_text)),
  add constraint profiles_status_emoji_legible check (app.is_legible(status_emoji));
alter table public.workspaces add constraint workspaces_name_legible check (app.is_legible(name));
alter table public.channels add constraint channels_name_legible check (app.is_legible(name));
alter table public.sections add constraint sections_name_legible check (app.is_legible(name));
alter table public.reactions add constraint reactions_emoji_legible check (app.is_legible(emoji));

revoke execute on all functions in schema app from public;
grant execute on function app.is_legible to authenticated, service_role;
