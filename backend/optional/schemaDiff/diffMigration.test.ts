import { afterEach, expect, it } from 'vitest'
import { createProject, type Project } from '../../../tests/support/createProject.ts'
import { loadConfig } from '../../config/loadConfig.ts'
import { authorsPart, diffMigration, type DiffResult } from './diffMigration.ts'

const tables = `
create table public.birds (id int primary key, name text not null);
alter table public.birds enable row level security;
comment on table public.birds is 'Birds.';
revoke all on table public.birds from anon, authenticated, service_role;
grant select on table public.birds to anon;
`

const rules = `
create schema app;
create function app.is_rare(name text) returns boolean language sql stable as $$ select name = 'dodo' $$;
comment on function app.is_rare is 'Whether hardly any are left.';
create function public.rare_birds() returns setof public.birds language sql stable
as $$ select * from public.birds where app.is_rare(name) $$;
-- Everyone sees the rare ones.
create policy "rare birds are public" on public.birds for select to anon using (app.is_rare(name));
comment on policy "rare birds are public" on public.birds is 'They attract visitors.';
create view public.names as select name from public.birds where app.is_rare(name);
create function app.touch() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger birds_are_touched before update on public.birds for each row when (app.is_rare(new.name)) execute function app.touch();
create constraint trigger birds_are_checked after insert on public.birds for each row execute function app.touch();
revoke execute on all functions in schema app from public;
grant execute on function app.is_rare(text) to anon;
grant execute on function public.rare_birds() to anon, authenticated;
do $$ begin
  for i in 1..2 loop
    execute format('create policy "limited %s" on public.birds as restrictive to authenticated using (id > %s)', i, i);
  end loop;
end $$;
`

const config = `[api]\nauto_expose_new_tables = true\n[db.migrations]\nschema_paths = ["./schemas/tables.sql", "./schemas/rules.sql"]\n`

let project: Project
afterEach(() => project?.remove())

/** Generates the migration for changed schema files. The migrations are those of the schema files above. */
async function diff(
  change: { tables?: (text: string) => string; rules?: (text: string) => string },
  author = '',
): Promise<DiffResult> {
  project = createProject({
    'config.toml': config,
    'schemas/tables.sql': (change.tables ?? String)(tables),
    'schemas/rules.sql': (change.rules ?? String)(rules),
  })
  return diffMigration(loadConfig(project.dir), [{ file: '1_baseline.sql', text: tables + rules }], {
    file: '2_change.sql',
    text: author,
  })
}

/** The generated statements. */
const generated = ({ text }: DiffResult): string => text!.slice(text!.indexOf('\n') + 1).trim()

it('generates nothing if the migrations match the schema files', async () => {
  expect(await diff({})).toEqual({ text: null, generated: 0, remaining: [] })
})

it('copies a changed function, its comment and nothing else from the schema file', async () => {
  const result = await diff({ rules: (text) => text.replace("= 'dodo'", "= 'kakapo'") })
  expect(result.remaining).toEqual([])
  expect(generated(result)).toBe(
    `create or replace function app.is_rare(name text) returns boolean language sql stable as $$ select name = 'kakapo' $$;`,
  )
})

it('replaces a policy with the comments that are before it in the schema file', async () => {
  const result = await diff({ rules: (text) => text.replace('using (app.is_rare(name));', 'using (true);') })
  expect(result.remaining).toEqual([])
  expect(generated(result)).toBe(`drop policy if exists "rare birds are public" on public.birds;
-- Everyone sees the rare ones.
create policy "rare birds are public" on public.birds for select to anon using (true);

comment on policy "rare birds are public" on public.birds is 'They attract visitors.';`)
})

it('copies only the statement of a loop that creates the changed policy', async () => {
  const result = await diff({
    rules: (text) =>
      text.replace('using (id > %s)', 'using (id > %s * %s)').replace(', i, i);', ', i, 1, i);'),
  })
  expect(result.remaining).toEqual([])
  expect(generated(result)).toContain(
    'create policy "limited 2" on public.birds as restrictive to authenticated using (id > 1 * 2);',
  )
  expect(generated(result)).not.toContain('loop')
})

it('replaces triggers, constraint triggers and views, and changes comments', async () => {
  const result = await diff({
    rules: (text) =>
      text
        .replace('before update on', 'before insert or update on')
        .replace('after insert on', 'after insert or delete on')
        .replace('select name from public.birds where app.is_rare(name)', 'select name from public.birds')
        .replace("'They attract visitors.'", "'They attract many visitors.'"),
  })
  expect(result.remaining).toEqual([])
  const text = generated(result)
  expect(text).toContain('create or replace trigger birds_are_touched before insert or update')
  expect(text).toContain(
    'drop trigger if exists birds_are_checked on public.birds;\ncreate constraint trigger',
  )
  expect(text).toContain('create or replace view public.names')
  expect(text).toContain(`is 'They attract many visitors.'`)
})

it('removes a comment that the schema files no longer have', async () => {
  const result = await diff({ rules: (text) => text.replace(/comment on function.*/, '') })
  expect(result.remaining).toEqual([])
  expect(generated(result)).toBe('comment on function app.is_rare(pg_catalog.text) is null;')
})

it('drops and creates a function whose result changes, with what uses it, and renews its rights', async () => {
  const result = await diff({
    rules: (text) =>
      text
        .replace(
          'app.is_rare(name text) returns boolean',
          'app.is_rare(name text, wild boolean default true) returns boolean',
        )
        .replaceAll('function app.is_rare(text)', 'function app.is_rare(text, boolean)'),
  })
  expect(result.remaining).toEqual([])
  const text = generated(result)
  expect(text).toContain('drop policy "rare birds are public" on public.birds;')
  expect(text).toContain('drop view public.names;')
  expect(text).toContain('drop trigger birds_are_touched on public.birds;')
  expect(text).toContain('drop function app.is_rare(name text);')
  expect(text.indexOf('drop view')).toBeLessThan(text.indexOf('drop function'))
  expect(text).toContain('create or replace function app.is_rare(name text, wild boolean default true)')
  expect(text).toContain('revoke execute on function app.is_rare(name text, wild boolean) from public;')
  expect(text).not.toContain('app.touch() returns')
  expect(text).not.toMatch(/cascade/i)
})

it('refuses to drop a function that a table uses, and names the constraint', async () => {
  project = createProject({
    'config.toml': config,
    'schemas/tables.sql': `create function public.is_word(a text) returns boolean language sql immutable as $$ select a <> '' $$;
      create table public.words (word text check (public.is_word(word)));`,
    'schemas/rules.sql': '',
  })
  const result = await diffMigration(
    loadConfig(project.dir),
    [
      {
        file: '1_baseline.sql',
        text: `create function public.is_word(b text) returns boolean language sql immutable as $$ select b <> '' $$;
          create table public.words (word text check (public.is_word(word)));`,
      },
    ],
    { file: '2_change.sql', text: '' },
  )
  expect(result.remaining.join('\n')).toMatch(
    /function public\.is_word\(b text\) must be dropped .*used by the constraint words_word_check on table public\.words/,
  )
  expect(result.text).not.toContain('drop function')
})

it('limits rights to the functions that are new, and revokes what is no longer granted', async () => {
  const result = await diff({
    tables: (text) => text.replace('on table public.birds to anon', 'on table public.birds to authenticated'),
    rules: (text) =>
      text.replace(
        'revoke execute on all',
        "create function app.count() returns int language sql as 'select 1';\nrevoke execute on all",
      ),
  })
  expect(result.remaining).toEqual([])
  const text = generated(result)
  expect(text).toContain('revoke execute on function app.count() from public;')
  expect(text).not.toContain('on all functions')
  expect(text).toContain('revoke all on table public.birds from anon;')
})

it('copies a new table with all that belongs to it', async () => {
  const result = await diff({
    tables: (text) => `${text}
      create type public.size as enum ('small', 'large');
      create table public.nests (id bigint generated always as identity primary key, bird int references public.birds, size public.size);
      create index nests_by_bird on public.nests (bird);
      alter table public.nests enable row level security;
      create policy "nests are public" on public.nests for select using (true);
      comment on table public.nests is 'Nests.';
      comment on column public.nests.bird is 'Its builder.';
      revoke all on table public.nests from anon, authenticated, service_role;
      grant select on table public.nests to anon;
      insert into public.nests (size) values ('large');`,
  })
  expect(result.remaining).toEqual([])
  expect(generated(result)).not.toContain('drop policy')
  expect(result.generated).toBe(10)
})

it('leaves tables and dropped objects to the author, keeps the part of the author, and names what remains', async () => {
  const change = {
    tables: (text: string) =>
      text.replace('name text not null', 'name text not null, wingspan int not null default 0'),
    rules: (text: string) => text.replace(/create view .*/, '').replace("= 'dodo'", "= 'moa'"),
  }
  const first = await diff(change)
  expect(first.remaining).toEqual([
    'The column public.birds.wingspan is missing from the migrations. Write a statement that adds or alters the column.',
    'The view public.names is not in the schema files. Write: drop view public.names;',
  ])
  expect(first.text).toMatch(/^-- generated by linnet migration diff, differences remain\n/)
  project.remove()
  const author =
    '-- How wide it is.\nalter table public.birds add column wingspan int not null default 0;\ndrop view public.names;'
  const second = await diff(change, author)
  expect(second.remaining).toEqual([])
  expect(second.text).toMatch(
    /^-- How wide it is\.\nalter table [^]*names;\n\n-- generated by linnet migration diff\n\ncreate or replace function/,
  )
  expect(authorsPart(second.text!)).toBe(author)
})

it('names a statement of the schema files that fails, with its line', async () => {
  await expect(
    diff({ rules: (text) => text.replace('create schema app;', 'create schema app;\ncreat table x;') }),
  ).rejects.toThrow(/schemas\/rules\.sql, line 3: syntax error/)
})
