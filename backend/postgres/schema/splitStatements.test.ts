import { array, assert, constantFrom, oneof, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { splitStatements } from './splitStatements.ts'

const texts = (sql: string): string[] => splitStatements(sql).map((statement) => statement.text)

test.each<[string, string, string[]]>([
  ['two statements', 'select 1; select 2', ['select 1', 'select 2']],
  ['empty ones are none', ';;  ; select 1;; ', ['select 1']],
  ['nothing', ' \n ', []],
  ['only comments', '-- a; b\n/* c; d */', []],
  ['a comment stays with what follows', '-- why;\nselect 1;', ['-- why;\nselect 1']],
  ['nested comments', 'select /* a /* ; */ ; */ 1; select 2', ['select /* a /* ; */ ; */ 1', 'select 2']],
  ['strings', `select 'a;''b;'; select 2`, [`select 'a;''b;'`, 'select 2']],
  ['a backslash ends no plain string', `select '\\'; select 2`, [`select '\\'`, 'select 2']],
  ['but it escapes in an E string', `select E'\\';', e';'; select 2`, [`select E'\\';', e';'`, 'select 2']],
  ['a word that ends in e is no E string', `select date'\\'; select 2`, [`select date'\\'`, 'select 2']],
  ['quoted identifiers', `select 1 as "a;""b"; select 2`, [`select 1 as "a;""b"`, 'select 2']],
  ['dollar quotes', 'do $$ begin; end $$; select 1', ['do $$ begin; end $$', 'select 1']],
  ['tagged ones', 'do $a$ ; $b$ ; $$ ; $a$; select 1', ['do $a$ ; $b$ ; $$ ; $a$', 'select 1']],
  ['parameters open no quote', 'select $1; select $2', ['select $1', 'select $2']],
  ['a dollar in an identifier opens no quote', 'select a$b$; select c$b$', ['select a$b$', 'select c$b$']],
  ['comment signs in strings', `select '--', '/*'; select 2`, [`select '--', '/*'`, 'select 2']],
  [
    'quotes in comments',
    `-- it's\nselect 1; /* it's */ select 2`,
    [`-- it's\nselect 1`, `/* it's */ select 2`],
  ],
  [
    'rules with several actions',
    'create rule r as on insert to t do also (select 1; select 2); select 3',
    ['create rule r as on insert to t do also (select 1; select 2)', 'select 3'],
  ],
  [
    'bodies of standard SQL',
    'create function f() returns int begin atomic select 1; select case when true then 2 end; end; select 3',
    [
      'create function f() returns int begin atomic select 1; select case when true then 2 end; end',
      'select 3',
    ],
  ],
  ['a transaction block', 'begin; select 1; end; select 2', ['begin', 'select 1', 'end', 'select 2']],
  ['a column called atomic', 'select atomic from t; select 2', ['select atomic from t', 'select 2']],
  ['an unclosed string reaches to the end', `select 'a; b`, [`select 'a; b`]],
  ['an unclosed comment too', 'select 1 /* a; b', ['select 1 /* a; b']],
  ['a byte order mark is no part of it', '\ufeffselect 1;', ['select 1']],
  ['Windows line ends', 'select 1;\r\nselect 2;\r\n', ['select 1', 'select 2']],
  ['words in any script', 'select 1 as größe; select 2 as имя', ['select 1 as größe', 'select 2 as имя']],
])('%s', (_, sql, wanted) => {
  expect(texts(sql)).toEqual(wanted)
})

test('lines are those of the first token', () => {
  const lines = splitStatements('\n-- one\n\nselect 1;\n select\n2; select 3;').map(
    (statement) => statement.line,
  )
  expect(lines).toEqual([4, 5, 6])
})

test('whatever is quoted never splits, and nothing is lost', () => {
  const piece = oneof(
    string({ maxLength: 12 }).map((text) => `'${text.replaceAll("'", "''")}'`),
    string({ maxLength: 12 }).map((text) => `"${text.replaceAll('"', '""')}"`),
    string({ maxLength: 12 }).map((text) => `$x$${text.replaceAll('$', '')}$x$`),
    constantFrom('select', '1', '+', '/* ; */', '(a;b)'),
  )
  const statement = array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => `select ${pieces.join(' ')}`)
  assert(
    property(array(statement, { maxLength: 5 }), (statements) => {
      expect(texts(statements.join(';\n'))).toEqual(statements)
    }),
  )
})

test('any text is split without an exception, each character in at most one statement', () => {
  assert(
    property(string({ unit: constantFrom(...`a'"$;-/*()\\\n eE_1`) }), (sql) => {
      const joined = texts(sql).join('')
      expect(joined.length).toBeLessThanOrEqual(sql.length)
    }),
  )
})

test('a file for psql: rows of a copy, and what concerns psql alone', () => {
  const statements = splitStatements(
    [
      '\\restrict aBc',
      'SET x = 1;',
      'COPY public.notes (id, body) FROM stdin;',
      "1\tit's; \\N $$",
      '2\t-- no comment',
      '\\.',
      '',
      "select '\\restrict';",
      '\\unrestrict aBc',
      'copy a to stdout;',
    ].join('\n'),
  )
  expect(statements.map(({ text, line, rows }) => [text, line, rows])).toEqual([
    ['SET x = 1', 2, null],
    ['COPY public.notes (id, body) FROM stdin', 3, "1\tit's; \\N $$\n2\t-- no comment\n"],
    ["select '\\restrict'", 8, null],
    ['copy a to stdout', 10, null],
  ])
  const commands = (sql: string, keepsAll = false): unknown[] =>
    splitStatements(sql, keepsAll).map(({ text, line, command }) => [text, line, command])
  expect(commands("\\i other.sql\n\\set a b\nselect 1 \\gset x_\n;select '\\g';")).toEqual([
    ['', 1, '\\i other.sql'],
    ['select 1', 3, '\\gset x_'],
    ["select '\\g'", 4, undefined],
  ])
  expect(commands('select 1;\n\\set a b', true)).toEqual([
    ['select 1', 1, undefined],
    ['', 2, '\\set a b'],
  ])
})
