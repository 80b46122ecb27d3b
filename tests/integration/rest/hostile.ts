/** Secret text that no response may contain. */
export const SECRET = 'the-canary-sings'

/** Texts that end a quote, a comment, a statement or a line, or are SQL. */
export const HOSTILE = [
  `'; drop table canary; --`,
  `"; drop table canary; --`,
  `x'); update canary set word = 'gone'; --`,
  `x") from canary; drop table canary; --`,
  `id" from odd union select word from canary --`,
  `1; delete from canary`,
  `' or '1'='1`,
  `' || (select word from canary) || '`,
  `(select word from canary)`,
  `" || (select word from canary)::text || "`,
  `text) from canary; drop table canary; --`,
  `int); drop table canary; --`,
  `pg_sleep(30)`,
  `';select set_config('role','service_role',false);--`,
  `set role service_role`,
  `\\'; drop table canary; --`,
  `\\"; drop table canary; --`,
  `\\`,
  `"`,
  `""`,
  `'`,
  `$$; drop table canary; $$`,
  `$1`,
  `$1::text`,
  `E'\\047; drop table canary; --'`,
  `U&"\\0022; drop table canary; --"`,
  `*/ drop table canary; /*`,
  `-- `,
  `%s %I %L`,
  `{"a":1}`,
  `{a,"b`,
  `->>'x'`,
  `::regclass`,
  `public.canary`,
  `\u02bc; drop table canary; --`,
  `\uff07\uff02; drop`,
  `tab\tand\nline\r\nend`,
  `__proto__`,
  `constructor`,
  `ünï\u202e\u{1f426}`,
  'a'.repeat(63),
] as const

/** Those that can be identifiers: PostgreSQL truncates longer ones. */
export const NAMES = HOSTILE.filter((text) => Buffer.byteLength(text) <= 63)

const identifier = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** A table that no API role can read, and objects with each of the names. */
export const hostileSchema = `
  create table canary (word text);
  insert into canary values ('${SECRET}');
  revoke all on canary from public, anon, authenticated, service_role;
  create table odd (id int primary key, doc jsonb, ${NAMES.map((name) => `${identifier(name)} text unique`).join(', ')});
  grant all on odd to anon;
  ${NAMES.map(
    (name, index) => `
      create table ${identifier(`t${index} ${name}`.slice(0, 40))} (id int primary key, ${identifier(name)} text);
      grant all on ${identifier(`t${index} ${name}`.slice(0, 40))} to anon;
      create function ${identifier(`f${index} ${name}`.slice(0, 40))}(${identifier(name)} text) returns text
        language sql immutable as 'select $1';`,
  ).join('')}`

/** The table and function with the n-th name. */
export const tableCalled = (index: number): string => `t${index} ${NAMES[index]}`.slice(0, 40)
export const functionCalled = (index: number): string => `f${index} ${NAMES[index]}`.slice(0, 40)
