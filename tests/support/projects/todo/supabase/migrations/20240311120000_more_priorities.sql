-- An enum gains a label in the way that a diff writes it: by another type in its place.
alter table "public"."todos" alter column "priority" drop default;

alter type "public"."priority" rename to "priority__old_version_to_be_dropped";

create type "public"."priority" as enum ('low', 'medium', 'high');

alter table "public"."todos" alter column priority type "public"."priority" using priority::text::"public"."priority";

alter table "public"."todos" alter column "priority" set default 'low'::public.priority;

drop type "public"."priority__old_version_to_be_dropped";
