create type "public"."priority" as enum ('low', 'high');

create table "public"."lists" (
    "id" uuid not null default gen_random_uuid(),
    "title" text not null,
    "user_id" uuid not null default auth.uid()
);

alter table "public"."lists" enable row level security;

alter table "public"."todos" add column "list_id" uuid;

alter table "public"."todos" add column "priority" public.priority not null default 'low'::public.priority;

CREATE UNIQUE INDEX lists_pkey ON public.lists USING btree (id);

alter table "public"."lists" add constraint "lists_pkey" PRIMARY KEY using index "lists_pkey";

alter table "public"."lists" add constraint "lists_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON UPDATE CASCADE ON DELETE CASCADE not valid;

alter table "public"."lists" validate constraint "lists_user_id_fkey";

alter table "public"."todos" add constraint "todos_list_id_fkey" FOREIGN KEY (list_id) REFERENCES public.lists(id) ON DELETE SET NULL not valid;

alter table "public"."todos" validate constraint "todos_list_id_fkey";

grant delete on table "public"."lists" to "authenticated";

grant insert on table "public"."lists" to "authenticated";

grant select on table "public"."lists" to "authenticated";

create policy "own lists"
on "public"."lists"
as permissive
for all
to authenticated
using ((( SELECT auth.uid() AS uid) = user_id))
with check ((( SELECT auth.uid() AS uid) = user_id));
