-- Small shapes that the generated types must tell apart: one of each.
create schema shelf;
create type public.state as enum ('draft', 'in print', 'it''s "out"');
create type shelf.place as (room text, "row" int);
create domain public.isbn as text check (value ~ '^[0-9-]+$');

create table public.authors (
  id bigint generated always as identity primary key,
  name text not null,
  born date
);
create table public.author_details (
  author_id bigint primary key references public.authors on delete cascade,
  bio text not null default ''
);
create table public.books (
  id uuid primary key default gen_random_uuid(),
  author_id bigint references public.authors,
  isbn public.isbn unique,
  title text not null,
  slug text generated always as (lower(title)) stored,
  state public.state not null default 'draft',
  tags text[] not null default '{}',
  extra jsonb,
  place shelf.place,
  sequel_of uuid references public.books
);
create table public.subjects (id int primary key, label text not null);
create table public.book_subjects (
  book_id uuid references public.books,
  subject_id int references public.subjects,
  primary key (book_id, subject_id)
);
create table shelf."class" ("select" int primary key, "a name" text, "ünï" public.state[]);

create view public.printed as select id, title, author_id from public.books where state = 'in print';
create view public.counted as select author_id, count(*) as books from public.books group by author_id;
create materialized view public.labels as select label from public.subjects;

create function public.initials(public.authors) returns text
  language sql stable as $$ select left($1.name, 1) $$;
create function public.find_books(words text, most int default 10) returns setof public.books
  language sql stable as 'select * from public.books limit most';
create function public.stock(book uuid, out "left" int, out at timestamptz)
  language sql as 'select 1, now()';
create function public.price(book uuid) returns table (amount numeric, currency text)
  language sql as $$ select 1, 'EUR' $$;
create function public.price(book uuid, day date) returns numeric language sql as 'select 1';
create function public.touch() returns void language sql as '';
create function public.never_called() returns trigger language plpgsql as $$ begin return new; end $$;
